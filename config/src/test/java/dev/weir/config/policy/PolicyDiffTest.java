package dev.weir.config.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PolicyDiffTest {
  private static final String TWO_CLUSTERS =
      "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]%s}}\n";
  private static final String THREE_CLUSTERS =
      "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}, red: {seeds: [\"h:%s\"]}}\n";
  private static final String DUAL_WRITES =
      "dual-writes: {target-cluster: green, repair-log-directory: /tmp}";

  private static GatewayPolicy policy(String more) {
    LoadResult read =
        new PolicyLoader(Map.of())
            .parse(
                "weir.yaml",
                more.contains("clusters:")
                    ? more
                    : "clusters: {main: {seeds: [\"127.0.0.1:9301\"]}}\n" + more);
    return ((LoadResult.Loaded) read).policy();
  }

  private static List<String> words(String before, String after) {
    return PolicyDiff.compare(policy(before), policy(after), List.of()).stream()
        .map(change -> change + (change.dynamic() ? "" : " (restart)"))
        .toList();
  }

  @Test
  void saysEachKeyWithBothValuesAndWhetherItNeedsARestart() {
    assertThat(
            words(
                "routing: {algorithm: c3}\nadmission: {tenants: {source: user}}\n",
                """
                http: {listen: "127.0.0.1:9299"}
                admin: {drain-delay: 5s}
                admission: {max-in-flight: 7, max-total-body-bytes: 3mb, tenants: {source: user, weights: {gold: 4}}}
                observability: {log-level: debug, access-log-enabled: true}
                """))
        .satisfiesExactly(
            it ->
                assertThat(it).isEqualTo("http.listen: 127.0.0.1:9200 -> 127.0.0.1:9299 (restart)"),
            it -> assertThat(it).isEqualTo("admin.drain-delay: 0s -> 5s"),
            it -> assertThat(it).isEqualTo("routing.algorithm: c3 -> adaptive"),
            it -> assertThat(it).isEqualTo("admission.max-in-flight: 1000 -> 7"),
            it ->
                assertThat(it)
                    .isEqualTo("admission.max-total-body-bytes: 15% of the heap -> 3mb (restart)"),
            it -> assertThat(it).isEqualTo("admission.tenants.weights.gold: (none) -> 4.0"),
            it -> assertThat(it).isEqualTo("observability.log-level: info -> debug"),
            it ->
                assertThat(it)
                    .isEqualTo("observability.access-log-enabled: false -> true (restart)"));
  }

  @Test
  void showsNoSecretButThatItDiffers() {
    String text = "clusters: {main: {seeds: [\"h:1\"], rest-tls: {key-password: %s}}}";
    assertThat(words(text.formatted("one"), text.formatted("two")))
        .containsExactly("clusters.main.rest-tls.key-password: <redacted> -> <redacted> (restart)");
    assertThat(
            PolicyDiff.compare(
                    policy("routing: {score-jitter-ratio: 0.1}\n"),
                    policy("routing: {score-jitter-ratio: 0.2}\n"),
                    List.of("routing.score-jitter-ratio"))
                .getFirst())
        .hasToString("routing.score-jitter-ratio: <redacted> -> <redacted>");
  }

  /** The address and the certificates of clients wait for a restart: so does the token's end. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "admin: {listen: \"127.0.0.1:9250\"}\n",
        "admin: {listen: \"0.0.0.0:9250\", client-ca-file: %s, tls: %s}\n"
      })
  void keepsTheTokenWhileOthersCanReachThePort(String after, @TempDir Path dir) throws IOException {
    Path file = Files.createFile(dir.resolve("file.pem"));
    String tls = "{enabled: true, certificate-file: %s, key-file: %s}".formatted(file, file);
    GatewayPolicy running =
        policy(
            "admin: {listen: \"0.0.0.0:9250\", token: 0123456789abcdef, tls: %s}\n".formatted(tls));
    GatewayPolicy read = policy(after.formatted(file, tls));
    GatewayPolicy next = PolicyDiff.applyReload(running, read);
    assertThat(next.admin().token()).isEqualTo("0123456789abcdef");
    assertThat(PolicyDiff.compare(running, read, List.of()))
        .filteredOn(change -> change.key().equals("admin.token"))
        .singleElement()
        .matches(change -> !change.dynamic());
    assertThat(PolicyDiff.compare(next, read, List.of()))
        .as("what waits for a restart")
        .anyMatch(change -> change.key().equals("admin.token"));
  }

  @Test
  void changesTheToken() {
    String text = "admin: {listen: \"0.0.0.0:9250\", plaintext-allowed: true, token: %s}\n";
    GatewayPolicy read = policy(text.formatted("another-token-of-admins"));
    assertThat(PolicyDiff.applyReload(policy(text.formatted("0123456789abcdef")), read))
        .isEqualTo(read);
  }

  @Test
  void saysWhichEntryOfAListDiffers() {
    String rules =
        "admission: {pacing: {rules: [{name: a, requests-per-second: 1}, {name: b,"
            + " requests-per-second: %s}]}}\n";
    assertThat(words(rules.formatted("2"), rules.formatted("3")))
        .containsExactly("admission.pacing.rules[1].requests-per-second: 2.0 -> 3.0");
    assertThat(words("", rules.formatted("2")).getFirst())
        .startsWith("admission.pacing.rules: [] -> [{name=a,");
  }

  @Test
  void requireARestartToRenameACluster() {
    assertThat(
            words("clusters: {blue: {seeds: [\"h:1\"]}}", "clusters: {main: {seeds: [\"h:1\"]}}"))
        .hasSize(2)
        .allSatisfy(it -> assertThat(it).endsWith("(restart)"));
  }

  @Test
  void applyOnlyReloadableKeys() {
    GatewayPolicy running = policy("");
    GatewayPolicy read =
        policy(
            "http: {event-loops: 3}\n"
                + "routing: {algorithm: c3}\n"
                + "admission: {max-total-response-bytes: 3mb}\n");
    GatewayPolicy next = PolicyDiff.applyReload(running, read);
    assertThat(next.routing()).isEqualTo(read.routing());
    assertThat(next.http()).isEqualTo(running.http());
    assertThat(next.admission()).isEqualTo(running.admission());
    assertThat(PolicyDiff.applyReload(running, running)).isEqualTo(running);
  }

  @Test
  void requireARestartToReorderClusters() {
    String blue = "blue: {seeds: [\"h:1\"]}";
    String green = "green: {seeds: [\"h:2\"]}";
    assertThat(
            words(
                "clusters: {" + blue + ", " + green + "}",
                "clusters: {" + green + ", " + blue + "}"))
        .containsExactly("clusters: [blue, green] -> [green, blue] (restart)");
  }

  @Test
  void trafficIsLiveUnlessItNamesAClusterThatIsNotThereYet() {
    String one = "clusters: {blue: {seeds: [\"h:1\"]}}\n";
    String two = "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}\n";
    String shifted = two + "traffic: {weights: {blue: 1, green: 2}}\nrouting: {algorithm: c3}\n";

    assertThat(words(two, shifted))
        .containsExactly(
            "traffic.weights.blue: (none) -> 1.0",
            "traffic.weights.green: (none) -> 2.0",
            "routing.algorithm: adaptive -> c3");
    assertThat(PolicyDiff.applyReload(policy(two), policy(shifted))).isEqualTo(policy(shifted));

    assertThat(words(one, shifted).subList(1, 4))
        .containsExactly(
            "traffic.weights.blue: (none) -> 1.0 (restart)",
            "traffic.weights.green: (none) -> 2.0 (restart)",
            "routing.algorithm: adaptive -> c3");
    GatewayPolicy next = PolicyDiff.applyReload(policy(one), policy(shifted));
    assertThat(next).isEqualTo(policy(one + "routing: {algorithm: c3}\n"));

    String canary = two + "traffic: {weights: {blue: 1}}\n";
    assertThat(PolicyDiff.applyReload(policy(one), policy(canary)).traffic())
        .as("it names the cluster that runs alone")
        .isEqualTo(policy(canary).traffic());
    String routed =
        two
            + "policies: {p: {traffic: {shadow: {target-cluster: green}}}}\n"
            + "routes: [{name: r, policy: p}]\n";
    assertThat(PolicyDiff.applyReload(policy(one), policy(routed))).isEqualTo(policy(one));
  }

  @Test
  void delaySettingsOfTheFirstClusterUntilTheRestart() {
    String two = "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\"]}}\n";
    String onGreen = two + "traffic: {weights: {green: 1}}\n";
    String retired = "clusters: {green: {seeds: [\"h:2\"]}}\n";
    String turned = "clusters: {green: {seeds: [\"h:2\"]}, blue: {seeds: [\"h:1\"]}}\n";
    for (String next : List.of(retired, turned)) {
      assertThat(PolicyDiff.applyReload(policy(onGreen), policy(next)).traffic())
          .as("blue, which still is the first, must not get everything")
          .isEqualTo(policy(onGreen).traffic());
    }
    assertThat(PolicyDiff.applyReload(policy(onGreen), policy(two)).traffic())
        .isEqualTo(policy(two).traffic());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "index-renames: {\"logs-*\": \"logs-v2-*\"}",
        "seeds: [\"h:3\"]",
        "authorization: delegate"
      })
  void trafficToAClusterThatRunsAsAnotherWaitsForItsRestart(String change) {
    String running = TWO_CLUSTERS.formatted("") + "traffic: {weights: {blue: 9, green: 1}}\n";
    String changed =
        change.startsWith("seeds")
            ? TWO_CLUSTERS.formatted("").replace("seeds: [\"h:2\"]", change)
            : TWO_CLUSTERS.formatted(", " + change);
    for (String traffic :
        List.of(
            "{weights: {blue: 1, green: 1}}",
            "{weights: {blue: 9, green: 1}, shadow: {target-cluster: green}}",
            "{weights: {blue: 9, green: 1}, " + DUAL_WRITES + "}")) {
      String read = changed + "traffic: " + traffic + "\nrouting: {algorithm: c3}\n";
      GatewayPolicy next = PolicyDiff.applyReload(policy(running), policy(read));
      assertThat(next).isEqualTo(policy(running + "routing: {algorithm: c3}\n"));
      assertThat(words(running, read))
          .filteredOn(it -> it.startsWith("traffic."))
          .isNotEmpty()
          .allSatisfy(it -> assertThat(it).endsWith("(restart)"));
      assertThat(PolicyDiff.compare(next, policy(read), List.of()))
          .as("what waits for the restart")
          .noneMatch(PolicyDiff.Change::dynamic);
    }
  }

  @Test
  void trafficThatRoutesBringToAChangedClusterWaitsToo() {
    String policies =
        "traffic: {weights: {blue: 1}}\npolicies: {p: {traffic: {weights: {green: 1}}}}\n"
            + "routes: [{name: one, headers: {X-One: \"*\"}, policy: p}%s]\n";
    String unchanged = TWO_CLUSTERS.formatted("");
    GatewayPolicy running = policy(unchanged + policies.formatted(""));
    String more = policies.formatted(", {name: two, headers: {X-Two: \"*\"}, policy: p}");
    assertThat(
            PolicyDiff.applyReload(
                running, policy(TWO_CLUSTERS.formatted(", index-renames: {a: b}") + more)))
        .isEqualTo(running);
    assertThat(PolicyDiff.applyReload(running, policy(unchanged + more)))
        .isEqualTo(policy(unchanged + more));
  }

  @Test
  void trafficLeavesAChangedClusterAtOnce() {
    String running =
        TWO_CLUSTERS.formatted("")
            + "traffic: {weights: {blue: 1, green: 1}, "
            + DUAL_WRITES
            + "}\n";
    String read =
        TWO_CLUSTERS.formatted(", index-renames: {a: b}")
            + "traffic: {weights: {blue: 1, green: 0}}\n";
    assertThat(PolicyDiff.applyReload(policy(running), policy(read)).traffic())
        .isEqualTo(policy(read).traffic());
  }

  /** The traffic to three clusters, of which the last one waits for its restart, after a reload. */
  private static TrafficPolicy reloadWithOtherRed(String runningWeights, String readWeights) {
    String traffic = "traffic: {weights: {%s}}\n";
    return PolicyDiff.applyReload(
            policy(THREE_CLUSTERS.formatted(3) + traffic.formatted(runningWeights)),
            policy(THREE_CLUSTERS.formatted(4) + traffic.formatted(readWeights)))
        .traffic();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "blue: 99, red: 1          | red: 1",
        "blue: 99, red: 1          | red: 99, green: 1",
        "blue: 1, green: 1, red: 1 | green: 1, red: 1",
        "blue: 1, green: 1         | green: 1, red: 1"
      })
  void aChangedClusterThatServesAPolicyAlreadyGetsNoMoreOfIt(String before, String after) {
    assertThat(reloadWithOtherRed(before, after).weights())
        .isEqualTo(reloadWithOtherRed(before, before).weights());
  }

  @Test
  void keepNoTrafficWaitingForSomeOtherSeeds() {
    String file =
        "clusters: {blue: {seeds: [\"h:1\"]}, green: {seeds: [\"h:2\", \"h:%s\"]}}\n"
            + "traffic: {weights: {%s: 1}}\n";
    GatewayPolicy read = policy(file.formatted(4, "green"));
    assertThat(PolicyDiff.applyReload(policy(file.formatted(3, "blue")), read).traffic())
        .isEqualTo(read.traffic());
  }

  @Test
  void keepNoTrafficWaitingForRoutesToOtherClusters() {
    String more =
        "traffic: {weights: {blue: 1}}\n"
            + "policies: {p: {traffic: {weights: {green: 1}}}%s}\n"
            + "routes: [{name: one, headers: {X-One: \"*\"}, policy: p}%s]\n";
    String running = TWO_CLUSTERS.formatted("") + more.formatted("", "");
    String changed = TWO_CLUSTERS.formatted(", index-renames: {a: b}");
    GatewayPolicy read =
        policy(
            changed
                + more.formatted(
                    ", q: {traffic: {weights: {blue: 2}}}",
                    ", {name: two, headers: {X-Two: \"*\"}, policy: q}"));
    GatewayPolicy next = PolicyDiff.applyReload(policy(running), read);
    assertThat(next.routes()).isEqualTo(read.routes());
    assertThat(next.policies()).isEqualTo(read.policies());
  }

  @Test
  void trafficThatAnotherOrderOfRoutesBringsToAChangedClusterWaits() {
    String policies =
        "policies: {p: {traffic: {weights: {green: 1}}}, q: {traffic: {weights: {blue: 1}}}}\n";
    String one = "{name: one, headers: {X-One: \"*\"}, policy: p}";
    String two = "{name: two, headers: {X-Two: \"*\"}, policy: q}";
    GatewayPolicy running =
        policy(TWO_CLUSTERS.formatted("") + policies + "routes: [" + two + ", " + one + "]\n");
    String read =
        TWO_CLUSTERS.formatted(", index-renames: {a: b}")
            + policies
            + "routes: ["
            + one
            + ", "
            + two
            + "]\n";
    assertThat(PolicyDiff.applyReload(running, policy(read))).isEqualTo(running);
  }

  @Test
  void aHeaderThatNamesAChangedClusterWaits() {
    String running = TWO_CLUSTERS.formatted("") + "traffic: {weights: {blue: 1}%s}\n";
    String read =
        TWO_CLUSTERS.formatted(", index-renames: {a: b}")
            + "traffic: {weights: {blue: 1}, split-by: request, canary-header: X-Cluster}\n";
    for (String header : List.of("", ", canary-header: X-Other")) {
      GatewayPolicy before = policy(running.formatted(header));
      assertThat(PolicyDiff.applyReload(before, policy(read))).isEqualTo(before);
    }
    assertThat(
            PolicyDiff.applyReload(
                    policy(running.formatted(", canary-header: x-cluster")), policy(read))
                .traffic())
        .isEqualTo(policy(read).traffic());
  }

  @Test
  void keepNoTrafficWaitingForHowAClusterIsReached() {
    String running = TWO_CLUSTERS.formatted("") + "traffic: {weights: {blue: 1}}\n";
    String read =
        TWO_CLUSTERS.formatted(", compression: on, connect-timeout: 3s")
            + "traffic: {weights: {green: 1}}\n";
    assertThat(PolicyDiff.applyReload(policy(running), policy(read)).traffic())
        .isEqualTo(policy(read).traffic());
  }

  @Test
  void showTheChangedKeysOfARoute() {
    String file =
        """
        clusters: {blue: {seeds: ["h:1"]}}
        routes: [{name: r, policy: p}]
        policies: {p: {routing: {hedging: {enabled: %s}}, bulk: {streaming: {threshold: %s}}, request-memory: {max-bytes: %s}, max-in-flight: %s}}
        """;
    assertThat(words(file.formatted(true, "0b", "9mb", 0), file.formatted(false, "2mb", "8mb", 5)))
        .containsExactlyInAnyOrder(
            "policies.p.routing.hedging.enabled: true -> false",
            "policies.p.bulk.streaming.threshold: 0b -> 2mb",
            "policies.p.request-memory.max-bytes: 9mb -> 8mb",
            "policies.p.max-in-flight: 0 -> 5");
  }
}
