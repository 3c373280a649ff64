// Groups of buttons of which one is chosen are one stop of the Tab key; arrow keys choose inside.
// What explains itself under the mouse does so under the keyboard, too.
(() => {
  if (window.oneStop) return;
  window.oneStop = true;
  const buttons = (group) => [...group.querySelectorAll("button")];
  const settle = (group) => {
    const all = buttons(group);
    const chosen = all.find((one) => one.getAttribute("aria-pressed") === "true") || all[0];
    all.forEach((one) => {
      const stop = one === chosen ? "0" : "-1";
      if (one.getAttribute("tabindex") !== stop) one.setAttribute("tabindex", stop);
    });
  };
  const settleAll = () => {
    document.querySelectorAll(".one-stop").forEach(settle);
  };
  new MutationObserver(settleAll).observe(document.body, {
    childList: true, subtree: true, attributes: true, attributeFilter: ["aria-pressed"],
  });
  settleAll();
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  document.addEventListener("keydown", (event) => {
    const group = event.target.closest && event.target.closest(".one-stop");
    if (!group || !steps[event.key]) return;
    event.preventDefault();
    const all = buttons(group);
    const next = all[(all.indexOf(event.target) + steps[event.key] + all.length) % all.length];
    next.focus();
    next.click();
  });
  // the library shows its tips when the mouse comes, and hides them when it leaves
  const point = (how) => (event) => {
    const near = event.target.closest?.("button, a, .q-field, .term");
    if (near && (how === "mouseleave" || event.target.matches(":focus-visible")))
      near.dispatchEvent(new MouseEvent(how));
  };
  document.addEventListener("focusin", point("mouseenter"));
  document.addEventListener("focusout", point("mouseleave"));
})();
