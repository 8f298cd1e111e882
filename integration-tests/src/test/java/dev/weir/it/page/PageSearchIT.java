package dev.weir.it.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The live page in a real browser, before a gateway with real nodes. */
class PageSearchIT {
  private static final String INDEX = "page-watched";
  private static final int PHONE = 360;
  private static final String[] SCHEMES = {"light", "dark"};

  /** The lowest contrast of a text's color with its background, and the text. */
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
  private static @Nullable DataNodeCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    browser = Chromium.startOrSkip(Objects.requireNonNull(scratch));
    cluster = SharedCluster.get();
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
    return TestBed.withSections(
        nodes().seeds(),
        """
        admission:
          pacing:
            rules:
              - {name: strict, indices: [page-refused], requests-per-second: 0.001, max-burst-requests: 1, max-delay: 0s}
        """);
  }

  private static DataNodeCluster nodes() {
    if (cluster == null) {
      throw new IllegalStateException("got no cluster (expected: one)");
    }
    return cluster;
  }

  private static BrowserTab open() throws Exception {
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
        BrowserTab tab = open()) {
      tab.navigate(page(bed));
      tab.awaitTrue("document.getElementById('state').textContent === 'Ready'");
      tab.awaitTrue("document.getElementById('tile-rate').textContent === '0'");
      load(bed.rest());
      tab.awaitTrue("/search/.test(document.getElementById('actions').innerText)");
      tab.awaitTrue("document.getElementById('heat-empty').hidden");
      tab.awaitTrue("document.querySelectorAll('#refused details').length === 1");
      tab.awaitTrue("/query/.test(document.getElementById('phases').innerText)");
      for (DataNode node : nodes().nodes()) {
        assertThat(tab.textOf("nodes")).contains(node.name());
        assertThat(tab.textOf("lanes")).contains(node.name());
      }
      tab.evaluate("document.getElementById('scores-part').open = true");
      assertThat(tab.textOf("formula")).startsWith("score = ");
      assertThat(tab.textOf("scores")).contains(nodes().node(0).name());
      assertThat(tab.textOf("actions")).contains("search", "bulk", "count");
      assertThat(tab.textOf("refused")).contains("pacing", "GET /page-refused/_count");
      tab.evaluate("document.querySelector('#refused details').open = true");
      assertThat(tab.textOf("refused")).contains("rate_limit [strict]", "tenant _default");
      assertThat(tab.textOf("strip")).startsWith("Serving; 3 nodes connected");
      assertThat(tab.textOf("clusters")).contains("weir-shared", "3 of 3");
      assertThat(tab.evaluate(painted())).as("colors of the heat map").isNotEqualTo("one");
      explainsEachFigure(tab);
      looksAfterEverybody(tab);
      assertThat(tab.problems()).isEmpty();
    }
  }

  /** Health, limits, the last hour, and the requests behind a tile. */
  private static void explainsEachFigure(BrowserTab tab) throws Exception {
    assertThat(tab.textOf("nodes-head"))
        .contains("Health", "Responses per second", "Response time");
    assertThat(tab.textOf("nodes")).contains("healthy");
    assertThat(tab.textOf("by-index-rows")).contains(INDEX);
    assertThat(tab.evaluate("document.getElementById('by-tenant').hidden")).isEqualTo(true);
    assertThat(tab.evaluate("document.getElementById('traffic-card').hidden")).isEqualTo(true);
    assertThat(tab.evaluate("document.getElementById('lanes-over').hidden")).isEqualTo(true);
    String overTheLimit =
        """
        Promise.all([import('/ui/queues.js'), fetch('/stats').then((answer) => answer.json())])
          .then(([{ showQueues }, stats]) => {
            const lane = stats.queues.search.nodes[0];
            Object.assign(lane, { in_flight: 13, concurrency_limit: 7.1, in_flight_by_phase: { query: 9, fetch: 4 } });
            showQueues({ stats });
            return document.getElementById('lanes').innerText + document.getElementById('lanes-over').innerText;
          })
        """;
    assertThat(String.valueOf(tab.evaluate(overTheLimit)))
        .contains("13, limit 7.1 (over)", "9 query, 4 fetch", "when the next request may start");

    tab.evaluate(
        "document.querySelector('#tile-refused').closest('li').querySelector('button').click()");
    tab.awaitTrue("document.querySelectorAll('#requests-list tr').length === 1");
    assertThat(tab.textOf("requests-list")).contains("429", "GET /page-refused/_count");
    assertThat(
            tab.evaluate(
                "fetch(document.querySelector('#requests-list a').href).then((answer) =>"
                    + " answer.json()).then((why) => why.rejections[0].rejected_by)"))
        .isEqualTo("pacing");
    tab.evaluate("document.getElementById('requests-close').click()");

    tab.awaitTrue("!document.getElementById('past').hidden");
    tab.evaluate("location.reload()");
    tab.awaitTrue("document.querySelectorAll('#past-charts li').length > 2");
    tab.awaitTrue("document.getElementById('heat-empty').hidden");
    tab.awaitTrue("document.getElementById('state').textContent === 'Ready'");
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

  /** On a phone, in the light and the dark theme. */
  private static void looksAfterEverybody(BrowserTab tab) throws Exception {
    for (int width : new int[] {PHONE, 800, 1280}) {
      tab.setWidth(width);
      assertThat(tab.evaluate("document.documentElement.scrollWidth <= innerWidth"))
          .as("whether the page fits into %s pixels", width)
          .isEqualTo(true);
    }
    for (String scheme : SCHEMES) {
      tab.setColorScheme(scheme);
      assertThat(tab.evaluate(WORST_CONTRAST)).as("contrast when %s", scheme).isEqualTo("enough");
    }
    assertThat(
            tab.evaluate(
                "[...document.querySelectorAll('button, select, input, canvas, [tabindex]')]"
                    + ".filter((one) => !(one.innerText || one.labels?.length"
                    + " || one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')))"
                    + ".map((one) => one.outerHTML).join()"))
        .as("what has no name for those who can't see it")
        .isEqualTo("");
  }

  @Test
  void drainByKeyboardAfterAConfirmation() throws Exception {
    BrowserTab tab = open();
    try (TestBed bed = bed()) {
      tab.navigate("data:text/html,elsewhere");
      tab.evaluate(
          "fetch('"
              + bed.admin().base()
              + "/drain', {method: 'POST', mode: 'no-cors'})"
              + ".then(() => 'sent', () => 'kept from the answer')");
      assertThat(bed.admin().send("GET", "/readyz").status()).isEqualTo(200);

      tab.navigate(page(bed));
      tab.awaitTrue("!document.getElementById('drain').disabled");
      for (int i = 0; i < 6 && !focused(tab, "drain"); i++) {
        tab.pressKey("Tab", 9, "");
      }
      assertThat(focused(tab, "drain")).isTrue();
      tab.pressKey("Enter", 13, "\r");
      tab.awaitTrue("document.getElementById('drain-dialog').open");
      assertThat(focused(tab, "drain-no")).as("what is harmless is at hand").isTrue();
      tab.pressKey("Escape", 27, "");
      tab.awaitTrue("!document.getElementById('drain-dialog').open");
      assertThat(bed.admin().send("GET", "/readyz").status()).isEqualTo(200);
      assertThat(tab.problems()).noneMatch(problem -> !problem.contains("/drain"));

      tab.pressKey("Enter", 13, "\r");
      tab.awaitTrue("document.getElementById('drain-dialog').open");
      tab.pressKey("Tab", 9, "");
      assertThat(focused(tab, "drain-yes")).isTrue();
      tab.pressKey("Enter", 13, "\r");
      tab.awaitTrue("document.getElementById('state').textContent === 'Draining'");
      assertThat(bed.admin().send("GET", "/readyz").status()).isEqualTo(503);
      tab.awaitTrue("document.getElementById('strip').textContent.startsWith('Drained')");
    }
    tab.awaitTrue("document.getElementById('state').textContent === 'Disconnected'");
    assertThat(tab.textOf("strip")).contains("does not answer", "Figures are of");
    tab.close();
  }

  private static boolean focused(BrowserTab tab, String id) throws Exception {
    return Boolean.TRUE.equals(tab.evaluate("document.activeElement.id === '" + id + "'"));
  }

  @Test
  void countsAsHistogramsAreCounted() throws Exception {
    try (TestBed bed = bed();
        BrowserTab tab = open()) {
      tab.navigate(page(bed));
      String module = "import('/ui/history.js').then((history) => ";
      String buckets = "history.buckets({cumulative_counts: [1, 3, 3], requests: 4}).join())";
      assertThat(tab.evaluate(module + buckets)).isEqualTo("1,2,0,1");
      assertThat(tab.evaluate(module + "history.quantile([0, 10, 0], [1, 2], 0.5))"))
          .isEqualTo(1.5);
      assertThat(tab.evaluate(module + "String(history.quantile([1, 1, 2], [1, 2], 0.99)))"))
          .isEqualTo("Infinity");
      assertThat(tab.evaluate(module + "String(history.quantile([], [1], 0.5)))"))
          .isEqualTo("null");
      String lived =
          """
          Promise.all([import('/ui/history.js'), fetch('/stats').then((answer) => answer.json())])
            .then(([{ History }, stats]) => {
              const at = (requests, born) => ({
                ...stats, gateway: { ...stats.gateway, started_at: born, cpu_ms: 0 },
                requests: { ...stats.requests, latency_bounds_ms: [1, 10],
                  by_action: [{ path: 'coordinated', action: 'search', requests, cumulative_counts: [0, requests] }] },
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
      assertThat(tab.evaluate(lived)).isEqualTo("50 5.5 0 4 0,16,0");
    }
  }
}
