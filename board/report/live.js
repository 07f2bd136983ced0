// Shows the page anew when its run changes, and leaves the reader where they are.
(function () {
  "use strict";
  var address = document.body.dataset.changes, status = document.getElementById("status");
  if (!address || !window.EventSource) return;
  var busy = false, again = false;
  function say(text) { if (status.textContent !== text) status.textContent = text; }
  function show(html) {
    var next = new DOMParser().parseFromString(html, "text/html"), page = next.getElementById("page");
    if (!page) { location.reload(); return; }
    var focused = document.activeElement, id = focused && focused.id;
    if (id === "at") { focused.addEventListener("blur", refresh, {once: true}); return; } // somebody is typing
    document.getElementById("page").replaceWith(page);
    document.title = next.title;
    if (id && document.getElementById(id)) document.getElementById(id).focus({preventScroll: true});
  }
  function refresh() {
    if (busy || document.hidden) { again = true; return; }
    busy = true;
    again = false;
    fetch(location.pathname + location.search, {cache: "no-store", credentials: "same-origin"}).then(function (answer) {
      return answer.text().then(function (html) {
        if (answer.ok) show(html); else say("This page cannot be read any more: " + answer.status);
      });
    }).catch(function () { say("No connection; trying again"); }).finally(function () {
      busy = false;
      if (again && !document.hidden) setTimeout(refresh, 300);
    });
  }
  var stream = new EventSource(address);
  stream.addEventListener("change", refresh);
  stream.onopen = function () { say("Live"); };
  stream.onerror = function () { say("No connection; trying again"); };
  document.addEventListener("visibilitychange", function () { if (again && !document.hidden) refresh(); });
  setInterval(refresh, 60000); // who is silent changes without an event
})();
