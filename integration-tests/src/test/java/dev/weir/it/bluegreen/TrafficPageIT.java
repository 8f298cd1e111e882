package dev.weir.it.bluegreen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.it.page.BrowserTab;
import dev.weir.it.page.Chromium;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The live page of a gateway before two clusters, in a real browser. */
class TrafficPageIT {
  private static final String TRAFFIC =
      """
      traffic: {weights: {blue: 100}, split-by: request, rollback: {target-cluster: blue, min-requests: 1000}}
      routes:
        - {name: seen, indices: ["page-seen*"], policy: seen}
      policies:
        seen: {traffic: {weights: {blue: 1, green: 1}}}
      """;
  private static final int REQUESTS = 40;

  /** Returns the weights that the page shows for each policy. */
  private static final String WEIGHTS =
      "[...document.querySelectorAll('#splits .split')].filter((one, i) => i % 2 === 0)"
          + ".map((one) => one.getAttribute('aria-label')).join('; ')";

  @TempDir private static @Nullable Path scratch;
  private static @Nullable Chromium browser;

  @BeforeAll
  static void start() throws Exception {
    browser = Chromium.startOrSkip(Objects.requireNonNull(scratch));
  }

  @AfterAll
  static void close() {
    if (browser != null) {
      browser.close();
    }
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

  private static JsonResponse traffic(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/traffic").orThrow());
  }

  private static Map<String, Object> policy(JsonResponse traffic, int place) {
    return traffic.objects("policies").get(place);
  }

  private static void ask(TestBed bed, String path) {
    for (int i = 0; i < REQUESTS; i++) {
      assertThat(bed.rest().send("GET", path).status()).isEqualTo(404);
    }
  }

  /** Waits for this many requests of a policy and returns them by cluster. */
  private static Map<String, Integer> counted(TestBed bed, int place, int all) {
    return Await.untilValue(
        "requests of a policy",
        () -> {
          Map<String, Integer> byCluster = new LinkedHashMap<>();
          ((Map<?, ?>) Objects.requireNonNull(policy(traffic(bed), place).get("requests")))
              .forEach((name, n) -> byCluster.put(String.valueOf(name), ((Number) n).intValue()));
          return byCluster;
        },
        byCluster -> byCluster.values().stream().mapToInt(n -> n).sum() == all);
  }

  private static void click(BrowserTab tab, String selector) throws Exception {
    tab.evaluate("document.querySelector('" + selector + "').click()");
  }

  private static void enter(BrowserTab tab, String id, String value) throws Exception {
    tab.evaluate(
        "((field) => { field.value = '%s'; field.dispatchEvent(new Event('input')); })(document.getElementById('%s'))"
            .formatted(value, id));
  }

  /** The number of requests that the page shows of a cluster. */
  private static String shownRequests(int place) {
    return "document.querySelectorAll('#traffic-clusters tr')[" + place + "].cells[3].innerText";
  }

  @Test
  void showCountsAndShiftTraffic() throws Exception {
    try (TestBed bed = TwoClusters.gateway(TRAFFIC);
        BrowserTab tab = open()) {
      tab.navigate(page(bed));
      tab.awaitTrue("document.querySelectorAll('#splits li').length === 2");
      assertThat(tab.evaluate(WEIGHTS))
          .isEqualTo(
              "Weights of The whole gateway: blue 100 %; Weights of Policy seen: blue 50 %, green"
                  + " 50 %");
      ask(bed, "/page-seen/_count");
      ask(bed, "/page-none/_count");
      assertThat(counted(bed, 1, REQUESTS)).containsKeys("blue", "green");
      assertThat(counted(bed, 0, REQUESTS)).containsEntry("blue", REQUESTS);
      List<Map<String, Object>> counted = traffic(bed).objects("clusters");
      for (int i = 0; i < 2; i++) {
        tab.awaitTrue(shownRequests(i) + " === '" + counted.get(i).get("requests") + "'");
      }
      assertThat(tab.textOf("splits")).containsPattern("blue 100 % of \\d+ request");

      click(tab, "#splits button");
      assertThat(tab.evaluate("document.activeElement.id")).isEqualTo("weight-0");
      enter(tab, "weight-0", "");
      assertThat(tab.evaluate("document.getElementById('traffic-yes').disabled")).isEqualTo(true);
      enter(tab, "weight-0", "1");
      enter(tab, "weight-1", "3");
      assertThat(tab.textOf("traffic-changes")).contains("blue 100 % → blue 25 %, green 75 %");
      tab.pressKey("Escape", 27, "");
      tab.awaitTrue("!document.getElementById('traffic-dialog').open");
      assertThat(policy(traffic(bed), 0)).containsEntry("weights", Map.of("blue", 100.0));

      click(tab, "#splits button");
      enter(tab, "weight-0", "1");
      enter(tab, "weight-1", "3");
      click(tab, "#traffic-yes");
      tab.awaitTrue("!document.getElementById('traffic-dialog').open");
      tab.awaitTrue(WEIGHTS + ".startsWith('Weights of The whole gateway: blue 25 %, green 75 %')");
      assertThat(policy(traffic(bed), 0))
          .containsEntry("weights", Map.of("blue", 1.0, "green", 3.0));
      assertThat(policy(traffic(bed), 1))
          .as("a policy with weights of its own")
          .containsEntry("weights", Map.of("blue", 1.0, "green", 1.0));
      assertThat(tab.textOf("splits")).contains("set by hand", "Instead of the file’s blue 100 %");
      assertThat(tab.textOf("strip")).contains("set by hand");
      tab.awaitTrue("!document.getElementById('past-events').hidden");
      assertThat(tab.textOf("past-events"))
          .contains("traffic of the whole gateway by admin: blue 25 %, green 75 %");
      ask(bed, "/page-none/_count");
      assertThat(counted(bed, 0, 2 * REQUESTS).get("green")).isBetween(15, REQUESTS);
      assertThat(tab.problems()).isEmpty();
    }
  }

  @Test
  void cutsOverAndGoesBackToTheFileByKeyboard() throws Exception {
    try (TestBed bed = TwoClusters.gateway(TRAFFIC);
        BrowserTab tab = open()) {
      tab.navigate(page(bed));
      tab.awaitTrue("!document.getElementById('cut-over').disabled");
      assertThat(tab.evaluate("document.getElementById('by-the-file').disabled")).isEqualTo(true);
      tab.evaluate("document.getElementById('cut-over').focus()");
      tab.pressKey("Enter", 13, "\r");
      tab.awaitTrue("document.getElementById('traffic-dialog').open");
      assertThat(tab.evaluate("document.activeElement.value")).isEqualTo("green");
      assertThat(tab.textOf("traffic-dialog")).contains("on this gateway only");
      assertThat(tab.textOf("traffic-changes"))
          .contains("blue 100 % → green 100 %", "blue 50 %, green 50 % → green 100 %");
      fits(tab);
      tab.pressKey("Tab", 9, "");
      assertThat(tab.evaluate("document.activeElement.id")).isEqualTo("traffic-no");
      tab.pressKey("Tab", 9, "");
      tab.pressKey("Enter", 13, "\r");
      tab.awaitTrue("!document.getElementById('traffic-dialog').open");
      assertThat(tab.evaluate("document.activeElement.id")).isEqualTo("cut-over");
      tab.awaitTrue("!document.getElementById('by-the-file').disabled");
      for (Map<String, Object> one : traffic(bed).objects("policies")) {
        assertThat(one).containsEntry("weights", Map.of("green", 1.0));
      }
      ask(bed, "/page-seen/_count");
      assertThat(counted(bed, 1, REQUESTS)).containsEntry("green", REQUESTS);

      click(tab, "#by-the-file");
      assertThat(tab.evaluate("document.activeElement.id")).isEqualTo("traffic-no");
      assertThat(tab.textOf("traffic-changes")).contains("green 100 % → blue 50 %, green 50 %");
      click(tab, "#traffic-yes");
      tab.awaitTrue("!document.getElementById('traffic-dialog').open");
      assertThat(tab.evaluate("document.activeElement.id")).isEqualTo("traffic-title");
      tab.awaitTrue("document.getElementById('by-the-file').disabled");
      assertThat(traffic(bed).objects("overrides")).isEmpty();
      assertThat(tab.problems()).isEmpty();
    }
  }

  /** On a phone no content lies outside of the page. */
  private static void fits(BrowserTab tab) throws Exception {
    tab.setWidth(360);
    assertThat(tab.evaluate("document.documentElement.scrollWidth <= innerWidth")).isEqualTo(true);
    assertThat(
            tab.evaluate(
                "((box) => box.scrollWidth <= box.clientWidth)"
                    + "(document.getElementById('traffic-dialog'))"))
        .isEqualTo(true);
    tab.setWidth(1280);
  }

  @Test
  void showsTheClusterThatIsChosenAndKeepsItInTheAddress() throws Exception {
    try (TestBed bed = TwoClusters.gateway(TRAFFIC);
        BrowserTab tab = open()) {
      String green = TwoClusters.green().node(0).id();
      tab.navigate(page(bed));
      tab.awaitTrue("document.getElementById('where').textContent === 'weir-blue'");
      tab.evaluate(
          "((choice) => { choice.value = 'green'; choice.dispatchEvent(new Event('change')); })"
              + "(document.getElementById('cluster-of'))");
      tab.awaitTrue("document.getElementById('where').textContent === 'weir-green'");
      assertThat(tab.evaluate("location.hash")).isEqualTo("#cluster=green");
      assertThat(tab.textOf("nodes-title")).isEqualTo("Nodes of green");
      String stats = bed.admin().send("GET", "/stats?cluster=green").orThrow().body();
      assertThat(stats).contains(green);
      click(tab, ".skip");
      tab.awaitTrue("location.hash === '#cluster=green'");
      tab.evaluate("location.reload()");
      tab.awaitTrue("document.getElementById('where')?.textContent === 'weir-green'");
      assertThat(tab.evaluate("document.getElementById('cluster-of').value")).isEqualTo("green");
      tab.evaluate("location.hash = '#cluster=nobody'");
      tab.awaitTrue("document.getElementById('where').textContent === 'weir-blue'");
      assertThat(tab.textOf("cluster-unknown"))
          .isEqualTo("No cluster is called nobody: blue is shown.");
      assertThat(tab.evaluate("document.getElementById('state').textContent")).isEqualTo("Ready");
    }
  }

  /** The page's preview of a change equals what the gateway then does. */
  @Test
  void previewTheEffectOfWeights() throws Exception {
    try (TestBed bed = TwoClusters.gateway(TRAFFIC);
        BrowserTab tab = open()) {
      tab.navigate(page(bed));
      String[][] changes = {
        {"shift?blue=1&green=1", "{shift: '', weights: {blue: 1, green: 1}}"},
        {"shift?policy=seen&blue=1&green=3", "{shift: 'seen', weights: {blue: 1, green: 3}}"},
        {"cutover?to=green", "{cutOver: 'green'}"},
        {"shift?blue=2&green=1", "{shift: '', weights: {blue: 2, green: 1}}"},
        {"shift?policy=seen&blue=3&green=1", "{shift: 'seen', weights: {blue: 3, green: 1}}"},
        {"reset", "{reset: true}"},
      };
      for (String[] change : changes) {
        String foretold =
            """
            Promise.all([import('/ui/shares.js'), fetch('/traffic').then((answer) => answer.json())])
              .then(([{ after }, traffic]) => fetch('/traffic/%s', { method: 'POST', headers: { 'X-Weir-Admin-Page': 'traffic' } })
                .then((answer) => answer.json())
                .then((changed) => {
                  const sorted = (weights) => JSON.stringify(Object.entries(weights).sort());
                  return [...after(traffic, %s)].every(([policy, weights], i) =>
                    changed.policies[i].policy === policy && sorted(changed.policies[i].weights) === sorted(weights));
                }))
            """;
        assertThat(tab.evaluate(foretold.formatted(change[0], change[1])))
            .as(change[0])
            .isEqualTo(true);
      }
    }
  }

  /** The page shows shadow reads and dual writes, with all of their figures or only a few. */
  @Test
  void showShadowReadsAndDualWrites() throws Exception {
    try (TestBed bed = TwoClusters.gateway(TRAFFIC);
        BrowserTab tab = open()) {
      tab.navigate(page(bed));
      tab.awaitTrue("document.querySelectorAll('#splits li').length === 2");
      String told =
          """
          Promise.all([import('/ui/repeats.js'), fetch('/traffic').then((answer) => answer.json())])
            .then(([{ showShadow, showDual, logFailures }, traffic]) => {
              const shadow = {
                compared: 5, differing: 1, verdicts: { search: { same: 4, different: 1 } },
                recent: { compared_rankings: 5, rbo_mean: 0.98, rbo_min: 0.9, primary_ms: { count: 5, p50: 3 } },
                shed_requests: { overload: 2 },
                newest_differences: Array.from({ length: 40 }, (_, i) => ({
                  at: '2026-01-01T10:00:00Z', request_line: 'GET /a/_search?n=' + i, primary: 'blue', shadow: 'green',
                  differences: [{ kind: 'hits', path: 'hits', primary: '<b>1</b>', shadow: '2' }] })),
              };
              const dual = { green: { written: 7, failed: 2, failures: { mapper_parsing_exception: 2 }, log_entries: 3, log_failures: 1, timeout: 0, not_replicated: 4 } };
              const shown = { traffic: { ...traffic, shadow }, stats: { dual_writes: dual } };
              showShadow(shown);
              showDual(shown);
              const seen = (id) => document.getElementById(id);
              const full = [
                seen('verdicts').innerText.replaceAll(/\\s+/g, ' '), seen('shadow-shed').innerText.replaceAll(/\\s+/g, ' '),
                seen('differences').rows.length, seen('differences').querySelectorAll('b').length,
                seen('dual-targets').rows[0].cells[1].innerText, seen('dual-targets').rows[0].cells[7].innerText, seen('dual-alarm').hidden, seen('dual-failures').innerText.includes('mapper_parsing_exception'),
                logFailures(dual)].join('|');
              const little = { traffic: { ...traffic, shadow: { compared: 1 }, dual_writes: { green: { written: 1 } } } };
              showShadow(little);
              showDual(little);
              const some = [seen('shadow').hidden, seen('dual').hidden, seen('dual-alarm').hidden].join('|');
              showShadow({ traffic: { ...traffic, shadow: {} } });
              showDual({ traffic });
              return [full, some, seen('shadow').hidden && seen('dual').hidden].join(' / ');
            })
          """;
      tab.evaluate("document.getElementById('pause').click()");
      assertThat(tab.evaluate(told))
          .isEqualTo("search 4 0 1 0|overload 2|32|0|7|4|false|true|1 / false|false|true / true");
    }
  }
}
