package dev.weir.it.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodes;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The live page in a real browser, before a gateway with real nodes. */
class PageIT {
  private static final String INDEX = "page-watched";
  private static final int PHONE = 360;
  private static final String[] SCHEMES = {"light", "dark"};

  /** The worst ratio of a text's color to what is behind it, and which text it is. */
  private static final String WORST_CONTRAST =
      """
      (() => {
        const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
        const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
          .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
          .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const behind = (node) => {
          for (let at = node; at; at = at.parentElement) {
            const color = parse(getComputedStyle(at).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color;
          }
          return [255, 255, 255];
        };
        let worst = { ratio: 21, text: '' };
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const text = walker.currentNode.textContent.trim();
          const node = walker.currentNode.parentElement;
          if (!text || !node.checkVisibility() || node.closest(':disabled, noscript, script')) continue;
          const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))];
          const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          if (ratio < worst.ratio) worst = { ratio, text };
        }
        return worst.ratio >= 4.5 ? 'enough' : worst.ratio.toFixed(2) + ': ' + worst.text;
      })()
      """;

  @TempDir private static @Nullable Path scratch;
  private static @Nullable Chromium browser;
  private static @Nullable DataNodes cluster;

  @BeforeAll
  static void start() throws Exception {
    Path binary = Chromium.find();
    assumeTrue(
        binary != null,
        "no Chromium is found here: set CHROME_BIN, or install one (Debian: apt install chromium)");
    if (binary != null && scratch != null) {
      cluster = SharedCluster.get();
      browser = Chromium.start(binary, scratch);
    }
  }

  @AfterAll
  static void close() {
    if (cluster != null) {
      cluster.rest().send("DELETE", "/" + INDEX);
    }
    if (browser != null) {
      browser.close();
    }
  }

  private static TestBed bed() {
    return TestBed.configured(
        nodes().seeds(),
        """
        admission:
          pacing:
            rules:
              - {name: strict, indices: [page-refused], requests-per-second: 0.001, requests-burst: 1, max-delay: 0s}
        """);
  }

  private static DataNodes nodes() {
    if (cluster == null) {
      throw new IllegalStateException("got no cluster (expected: one)");
    }
    return cluster;
  }

  private static Tab open() throws Exception {
    if (browser == null) {
      throw new IllegalStateException("got no browser (expected: one)");
    }
    return browser.open();
  }

  private static String page(TestBed bed) {
    return bed.admin().base() + "/ui/";
  }

  @Test
  void showsNodesRequestsAndRefusals() throws Exception {
    try (TestBed bed = bed();
        Tab tab = open()) {
      tab.show(page(bed));
      tab.until("document.getElementById('state').textContent === 'Ready'");
      tab.until("document.getElementById('tile-rate').textContent === '0'");
      load(bed.rest());
      tab.until("/search/.test(document.getElementById('actions').innerText)");
      tab.until("document.getElementById('heat-empty').hidden");
      tab.until("document.querySelectorAll('#refused details').length === 1");
      tab.until("/query/.test(document.getElementById('phases').innerText)");
      for (DataNode node : nodes().nodes()) {
        assertThat(tab.text("nodes")).contains(node.name());
        assertThat(tab.text("lanes")).contains(node.name());
      }
      assertThat(tab.text("formula")).startsWith("score = ");
      assertThat(tab.text("actions")).contains("search", "bulk", "count");
      assertThat(tab.text("refused")).contains("pacing", "GET /page-refused/_count");
      tab.value("document.querySelector('#refused details').open = true");
      assertThat(tab.text("refused")).contains("rate_limit [strict]", "tenant _default");
      assertThat(tab.text("strip")).startsWith("Serving; 3 nodes connected");
      assertThat(tab.text("clusters")).contains("weir-shared", "3 of 3");
      assertThat(tab.value(painted())).as("colors of the heat map").isNotEqualTo("one");
      looksAfterEverybody(tab);
      assertThat(tab.problems()).isEmpty();
    }
  }

  private static String painted() {
    return """
    (() => {
      const map = document.getElementById('heat');
      const data = map.getContext('2d').getImageData(map.width - 200, 0, 200, map.height - 20).data;
      const colors = new Set();
      for (let i = 0; i < data.length; i += 4) colors.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
      return colors.size > 4 ? 'several' : 'one';
    })()
    """;
  }

  private static void load(RestClient rest) {
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < 20; n++) {
      lines.append("{\"index\":{}}\n{\"n\":").append(n).append("}\n");
    }
    byte[] bulk = lines.toString().getBytes(StandardCharsets.UTF_8);
    rest.send(
        "PUT", "/" + INDEX, "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":1}}");
    rest.bulk("/" + INDEX + "/_bulk?refresh=true", bulk).orThrow();
    for (int n = 0; n < 50; n++) {
      rest.send("GET", "/" + INDEX + "/_search?q=n:" + n).orThrow();
    }
    assertThat(rest.send("GET", "/page-refused/_count").status()).isEqualTo(404);
    assertThat(rest.send("GET", "/page-refused/_count").status()).isEqualTo(429);
  }

  /** On a phone, by day and by night. */
  private static void looksAfterEverybody(Tab tab) throws Exception {
    for (int width : new int[] {PHONE, 800, 1280}) {
      tab.width(width);
      assertThat(tab.value("document.documentElement.scrollWidth <= innerWidth"))
          .as("whether the page fits into %s pixels", width)
          .isEqualTo(true);
    }
    for (String scheme : SCHEMES) {
      tab.scheme(scheme);
      assertThat(tab.value(WORST_CONTRAST)).as("contrast when %s", scheme).isEqualTo("enough");
    }
    assertThat(
            tab.value(
                "[...document.querySelectorAll('button, select, input, canvas, [tabindex]')]"
                    + ".filter((one) => !(one.innerText || one.labels?.length"
                    + " || one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')))"
                    + ".map((one) => one.outerHTML).join()"))
        .as("what has no name for those who can't see it")
        .isEqualTo("");
  }

  @Test
  void drainsByKeyboardAfterAQuestionAndForNobodyElse() throws Exception {
    Tab tab = open();
    try (TestBed bed = bed()) {
      tab.show("data:text/html,elsewhere");
      tab.value(
          "fetch('"
              + bed.admin().base()
              + "/drain', {method: 'POST', mode: 'no-cors'})"
              + ".then(() => 'sent', () => 'kept from the answer')");
      assertThat(bed.admin().send("GET", "/readyz").status()).isEqualTo(200);

      tab.show(page(bed));
      tab.until("!document.getElementById('drain').disabled");
      for (int i = 0; i < 6 && !focused(tab, "drain"); i++) {
        tab.press("Tab", 9, "");
      }
      assertThat(focused(tab, "drain")).isTrue();
      tab.press("Enter", 13, "\r");
      tab.until("document.getElementById('drain-dialog').open");
      assertThat(focused(tab, "drain-no")).as("what is harmless is at hand").isTrue();
      tab.press("Escape", 27, "");
      tab.until("!document.getElementById('drain-dialog').open");
      assertThat(bed.admin().send("GET", "/readyz").status()).isEqualTo(200);
      assertThat(tab.problems()).noneMatch(problem -> !problem.contains("/drain"));

      tab.press("Enter", 13, "\r");
      tab.until("document.getElementById('drain-dialog').open");
      tab.press("Tab", 9, "");
      assertThat(focused(tab, "drain-yes")).isTrue();
      tab.press("Enter", 13, "\r");
      tab.until("document.getElementById('state').textContent === 'Draining'");
      assertThat(bed.admin().send("GET", "/readyz").status()).isEqualTo(503);
      tab.until("document.getElementById('strip').textContent.startsWith('Drained')");
    }
    tab.until("document.getElementById('state').textContent === 'Disconnected'");
    assertThat(tab.text("strip")).contains("does not answer", "Figures are of");
    tab.close();
  }

  private static boolean focused(Tab tab, String id) throws Exception {
    return Boolean.TRUE.equals(tab.value("document.activeElement.id === '" + id + "'"));
  }

  @Test
  void countsAsHistogramsAreCounted() throws Exception {
    try (TestBed bed = bed();
        Tab tab = open()) {
      tab.show(page(bed));
      String module = "import('/ui/history.js').then((history) => ";
      assertThat(tab.value(module + "history.buckets({within: [1, 3, 3], requests: 4}).join())"))
          .isEqualTo("1,2,0,1");
      assertThat(tab.value(module + "history.quantile([0, 10, 0], [1, 2], 0.5))")).isEqualTo(1.5);
      assertThat(tab.value(module + "String(history.quantile([1, 1, 2], [1, 2], 0.99)))"))
          .isEqualTo("Infinity");
      assertThat(tab.value(module + "String(history.quantile([], [1], 0.5)))")).isEqualTo("null");
      String lived =
          """
          Promise.all([import('/ui/history.js'), fetch('/stats').then((answer) => answer.json())])
            .then(([{ History }, stats]) => {
              const at = (requests, born) => ({
                ...stats, gateway: { ...stats.gateway, started_at: born, cpu_ms: 0 },
                requests: { ...stats.requests, latency_bounds_ms: [1, 10],
                  by_action: [{ path: 'coordinated', action: 'search', requests, within: [0, requests] }] },
              });
              const history = new History();
              history.take(at(0, 'a'), 10000);
              history.take(at(100, 'a'), 12000);
              const before = [history.newest().rate, history.quantileOver(10000, 0.5)];
              history.take(at(10, 'b'), 14000);
              const restarted = history.samples.length;
              history.take(at(30, 'b'), 19000);
              return [...before, restarted, history.newest().rate, history.bins.at(-1).ways.get('search')?.join()].join(' ');
            })
          """;
      assertThat(tab.value(lived)).isEqualTo("50 5.5 0 4 0,16,0");
    }
  }
}
