// Runs before the first paint, so that the page does not flash in the wrong theme. The choice is the only thing that is stored.
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem('muster-theme');
  } catch {
    // Storage may be switched off; then the system's theme is used.
  }
  if (choice === 'light' || choice === 'dark') document.documentElement.dataset.theme = choice;
})();
