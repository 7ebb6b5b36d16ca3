// Each chart is a picture until it comes near the reader's window; then Vega is loaded, once, and takes it over.
const holders = document.querySelectorAll(".labkit-vega");

async function enliven(holder) {
  const spec = JSON.parse(document.getElementById(holder.id + "-spec").textContent);
  try {
    await import("./vega.js"); // sets window.vegaEmbed
    await vegaEmbed(holder, spec, { actions: false, renderer: "svg" });
    // One text alternative for the whole figure, rather than Vega's role for every mark.
    const drawn = holder.querySelector("svg");
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", spec.description);
    drawn.querySelector("g").setAttribute("aria-hidden", "true"); // its parts say less than the description
    holder.classList.add("labkit-live");
  } catch (error) {
    console.error(holder.id, error);
  }
}

const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries.filter((e) => e.isIntersecting)) {
      near.unobserve(entry.target);
      enliven(entry.target);
    }
  },
  { rootMargin: "300px" },
);
holders.forEach((holder) => near.observe(holder));
