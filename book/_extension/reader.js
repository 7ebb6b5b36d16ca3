// What wide things need on a narrow screen: whatever scrolls sideways can be reached and moved by keyboard.
function reachable() {
  for (const box of document.querySelectorAll("div.math, pre, .pst-scrollable-table-container, .labkit-figure, .labkit-sheet, .cell_output .output")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else if (box.tabIndex === 0 && !box.matches("a, button, input")) box.removeAttribute("tabindex");
  }
}
addEventListener("load", reachable);
document.fonts.ready.then(reachable); // a font that arrives late changes widths
addEventListener("resize", reachable);
