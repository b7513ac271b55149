//! A page in Chromium: whether it is whole, asks for nothing, and fits.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::{Value, json};

use crate::common;

/// Whether there is a browser.
pub(crate) fn has_chromium() -> bool {
    let found = Command::new("chromium").arg("--version").output().is_ok();
    if !found {
        common::leave_out("chromium");
    }
    found
}

/// A folder of its own for a test.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Opens a file, and returns what the browser prints and what it logs.
fn browse(folder: &Path, file: &Path, flags: &[&str]) -> [String; 2] {
    let profile = folder.join("profile");
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--hide-scrollbars"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(flags)
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Parts of the browser may still be ending.
    let _ = fs::remove_dir_all(profile);
    [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Looks around in the page of the frame: what it has asked for, whether it is wider than the frame, and
/// the plots with their sizes in pixels.
const PROBE: &str = r#"<script>
addEventListener("load", () => {
  const view = document.querySelector("iframe").contentWindow;
  const page = view.document;
  const plots = [...page.querySelectorAll("figure")].map((figure) => {
    const plot = figure.querySelector("svg, [role=img]");
    const box = plot ? plot.getBoundingClientRect() : { width: 0, height: 0 };
    const marks = figure.querySelectorAll("path, circle, rect, i").length;
    const outside = [...figure.querySelectorAll("svg text")].filter((text) => {
      const it = text.getBoundingClientRect();
      return it.left < box.left - 1 || it.right > box.right + 1
        || it.top < box.top - 1 || it.bottom > box.bottom + 1;
    }).map((text) => text.textContent);
    const label = plot?.getAttribute("aria-label");
    return { id: figure.id, width: box.width, height: box.height, marks, label, outside };
  });
  const seen = {
    plots,
    sections: [...page.querySelectorAll("section")].map((it) => it.id),
    links: [...page.querySelectorAll("nav a")].map((it) => it.getAttribute("href").slice(1)),
    title: page.title,
    headings: [...page.querySelectorAll("h1")].map((it) => it.textContent),
    unnamed: page.querySelectorAll("th:not([scope]), img:not([alt])").length,
    scripts: page.querySelectorAll("script").length,
    requests: view.performance.getEntriesByType("resource").map((it) => it.name),
    too_wide: page.documentElement.scrollWidth - view.innerWidth,
  };
  document.body.innerHTML = "";
  document.body.append(document.createElement("output"));
  document.body.firstChild.textContent = encodeURIComponent(JSON.stringify(seen));
});
</script>"#;

/// Opens a page in a frame of that width (windows have a least width), and returns what the probe sees.
/// Nothing may be logged nor asked for, nothing may stick out, and every plot has to be there.
pub(crate) fn look(name: &str, page: &str, width: u32) -> Value {
    let folder = scratch(&format!("{name}-{width}"));
    fs::write(folder.join("report.html"), page).unwrap();
    let source = page.replace('&', "&amp;").replace('"', "&quot;");
    let size = format!("width:{width}px;height:1400px;border:0");
    let probe = folder.join("probe.html");
    let frame = format!("<iframe style=\"{size}\" srcdoc=\"{source}\"></iframe>{PROBE}");
    fs::write(&probe, format!("<!DOCTYPE html><body>{frame}</body>")).unwrap();
    let [dom, log] = browse(&folder, &probe, &["--window-size=1400,1500", "--dump-dom"]);
    assert!(!log.contains(":CONSOLE"), "{log}");
    let found = dom.split("<output>").nth(1).unwrap().split("</output>").next().unwrap();
    let seen: Value = serde_json::from_str(&decoded(found)).unwrap();

    // The page itself lets no script run.
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'"));
    assert_eq!(seen["requests"], json!([]));
    assert_eq!((&seen["scripts"], &seen["unnamed"]), (&json!(0), &json!(0)));
    assert_eq!(seen["headings"].as_array().unwrap().len(), 1);
    assert!(seen["too_wide"].as_i64().unwrap() <= 0, "{name} {width}: {}", seen["too_wide"]);
    for plot in seen["plots"].as_array().unwrap() {
        let size = ["width", "height"].map(|side| plot[side].as_f64().unwrap());
        assert!(size[0] > 200.0 && size[1] > 75.0, "{name} {width}: {plot}");
        assert!(plot["marks"].as_u64().unwrap() > 0, "{plot}");
        assert!(plot["label"].as_str().unwrap().len() > 5, "{plot}");
        assert_eq!(plot["outside"], json!([]), "{name} {width}: {plot}");
    }
    seen
}

/// Undoes `encodeURIComponent`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let [high, low] = [rest.next(), rest.next()].map(|digit| digit.unwrap() as char);
                u8::from_str_radix(&format!("{high}{low}"), 16).unwrap()
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).unwrap()
}

/// The ids of figures or sections.
pub(crate) fn ids(of: &Value) -> Vec<&str> {
    let items = of.as_array().unwrap().iter();
    items.map(|item| item["id"].as_str().or(item.as_str()).unwrap()).collect()
}
