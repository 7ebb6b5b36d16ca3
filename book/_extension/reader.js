// What wide things need on a narrow screen: whatever scrolls sideways can be reached and moved by keyboard.
// Each is measured when it comes near the reader's window, so that a long page need not be laid out at once.
const wide = "div.math, pre, .pst-scrollable-table-container, .labkit-figure, .labkit-sheet, .cell_output .output";
const near = new Set();

function reachable(boxes) {
  const scrolls = boxes.map((box) => box.scrollWidth > box.clientWidth); // all read before any is written
  boxes.forEach((box, i) => {
    if (scrolls[i]) box.tabIndex = 0;
    else if (box.tabIndex === 0 && !box.matches("a, button, input")) box.removeAttribute("tabindex");
  });
}

const watch = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) isIntersecting ? near.add(target) : near.delete(target);
    reachable(entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target));
  },
  { rootMargin: "600px" },
);
document.querySelectorAll(wide).forEach((box) => watch.observe(box));
document.fonts.ready.then(() => reachable([...near])); // a font that arrives late changes widths
addEventListener("resize", () => reachable([...near]));
// A chart that comes alive is wider than its picture.
new MutationObserver(() => reachable([...near])).observe(document.querySelector("main"), { childList: true, subtree: true });
