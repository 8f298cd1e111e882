package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.DualWritesPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.NodeCeilingPolicy;
import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.PolicySettings;
import dev.weir.config.policy.PolicyTree;
import dev.weir.config.policy.RollbackPolicy;
import dev.weir.config.policy.RoutePolicy;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.config.policy.TrafficPolicy.SplitBy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the configuration chooses the cluster of a request. */
final class TrafficPolicyTest {
  private static final String CLUSTERS =
      "clusters: {green: {seeds: [\"h:1\"]}, blue: {seeds: [\"h:2\"]}, amber: {seeds:"
          + " [\"h:3\"]}}\n";

  private static LoadResult parse(String more) {
    return new PolicyLoader(Map.of()).parse("weir.yaml", CLUSTERS + more);
  }

  private static GatewayPolicy loaded(String more) {
    return switch (parse(more)) {
      case LoadResult.Loaded loaded -> loaded.policy();
      case LoadResult.Invalid refused -> throw new AssertionError(refused.render());
    };
  }

  private static TrafficPolicy own(GatewayPolicy policy, String name) {
    return Objects.requireNonNull(policy.policies().get(name), name).traffic();
  }

  @Test
  void clustersAndWeightsKeepTheOrderOfTheFile() {
    GatewayPolicy policy = loaded("traffic: {weights: {blue: 1, amber: 2.5, green: 0}}\n");
    assertThat(policy.clusters().keySet()).containsExactly("green", "blue", "amber");
    assertThat(policy.defaultClusterName()).isEqualTo("green");
    assertThat(policy.defaultCluster().seeds().getFirst().port()).isEqualTo(1);
    assertThat(policy.traffic().weights().keySet()).containsExactly("blue", "amber", "green");
    assertThat(policy.traffic().weights()).containsEntry("amber", 2.5);
  }

  @Test
  void routeToTheFirstClusterByDefault() {
    GatewayPolicy policy = loaded("");
    assertThat(policy.traffic()).isEqualTo(TrafficPolicy.DEFAULT);
    assertThat(policy.traffic().clusters()).isEmpty();
    assertThat(policy.routes()).isEmpty();
    assertThat(policy.policies()).isEmpty();
    assertThat(policy.defaultCluster().indexRenames()).isEmpty();
  }

  @Test
  void readsRoutes() {
    assertThat(
            loaded(
                    """
                    admission: {tenants: {source: user}}
                    routes:
                      - name: logs
                        indices: ["logs-*"]
                        actions: [search, bulk]
                        methods: [GET]
                        headers: {X-Canary: "*"}
                        users: [app]
                        tenants: ["gold-*"]
                        policy: logs
                      - {name: rest, policy: logs}
                    policies: {logs: {}}
                    """)
                .routes())
        .containsExactly(
            new RoutePolicy(
                "logs",
                List.of("logs-*"),
                List.of(Action.SEARCH, Action.BULK),
                List.of("GET"),
                Map.of("X-Canary", "*"),
                List.of("app"),
                List.of("gold-*"),
                "logs"),
            new RoutePolicy(
                "rest", List.of(), List.of(), List.of(), Map.of(), List.of(), List.of(), "logs"));
  }

  @Test
  void inheritUnsetKeysAtEveryDepth() {
    GatewayPolicy policy =
        loaded(
            """
            policies:
              logs:
                traffic:
                  weights: {green: 1}
                  shadow: {tolerances: {min-hit-overlap: 0.5}}
                  rollback:
                    evaluation-window: 5s
                    target-cluster:
              none:
              empty: {traffic: {weights: {}, dual-writes: {target-cluster: ""}}}
            traffic:
              weights: {green: 90, blue: 10}
              split-by: index
              canary-header: X-To
              shadow: {target-cluster: blue, sample-percent: 7, pass-through-enabled: true, tolerances: {max-aggregation-difference: 0.2}}
              dual-writes: {target-cluster: blue, repair-log-directory: /log, intent-log: {directory: /intents, sync: true, on-failure: reject}}
              rollback: {target-cluster: green, min-requests: 7}
            routes:
              - {name: a, policy: logs}
              - {name: b, policy: none}
              - {name: c, policy: empty}
            """);
    TrafficPolicy all = policy.traffic();
    TrafficPolicy logs = own(policy, "logs");
    assertThat(all.shadow().maxBodyBytes()).isEqualTo(new ByteSize(1 << 20));
    assertThat(logs.weights()).as("a map is replaced as a whole").isEqualTo(Map.of("green", 1.0));
    assertThat(logs.splitBy()).isEqualTo(SplitBy.INDEX);
    assertThat(logs.canaryHeader()).isEqualTo("X-To");
    assertThat(logs.shadow().targetCluster()).isEqualTo("blue");
    assertThat(logs.shadow().samplePercent()).isEqualTo(7);
    assertThat(TrafficPolicy.DEFAULT.shadow().passThroughEnabled()).isFalse();
    assertThat(logs.shadow().passThroughEnabled()).isTrue();
    assertThat(logs.shadow().tolerances().maxAggregationDifference()).isEqualTo(0.2);
    assertThat(logs.shadow().tolerances().minHitOverlap()).isEqualTo(0.5);
    assertThat(logs.dualWrites())
        .isEqualTo(
            new DualWritesPolicy(
                "blue",
                Duration.ofSeconds(10),
                "/log",
                new DualWritesPolicy.IntentLogPolicy(
                    "/intents",
                    true,
                    Duration.ofMillis(200),
                    DualWritesPolicy.IntentLogPolicy.FailureMode.REJECT)));
    assertThat(logs.rollback())
        .as("a key with nothing behind it is an empty text where that is a value")
        .isEqualTo(new RollbackPolicy("", Duration.ofSeconds(5), 7, 5, 100));
    assertThat(own(policy, "none")).isEqualTo(all);
    TrafficPolicy empty = own(policy, "empty");
    assertThat(empty.weights()).isEmpty();
    assertThat(empty.dualWrites().targetCluster()).isEmpty();
    assertThat(empty.shadow()).isEqualTo(all.shadow());
    assertThat(logs.clusters()).containsExactlyInAnyOrder("green", "blue");
  }

  @Test
  void allowPolicySectionsForEveryGlobalSection() {
    GatewayPolicy policy =
        loaded(
            """
            routes: [{name: a, policy: lean}]
            policies:
              lean:
                deadline: {default-read-timeout: 2s}
                coalescing: {indices: ["logs-*"]}
                trimming: {rules: [{profile: ids, tenants: [gold]}]}
                sampling: {enabled: false}
            responses:
              trimming: {profiles: {ids: {drop: [source]}}}
              sampling: {min-shards-per-index: 7}
            admission:
              tenants: {source: user}
              deadline: {max-timeout: 9s, default-read-timeout: 1s}
              coalescing: {max-age: 3s}
            """);
    PolicySettings lean = Objects.requireNonNull(policy.namedPolicySettings().get("lean"));
    assertThat(lean.deadline().defaultReadTimeout()).isEqualTo(Duration.ofSeconds(2));
    assertThat(lean.deadline().maxTimeout()).isEqualTo(Duration.ofSeconds(9));
    assertThat(policy.defaultPolicySettings().deadline().defaultReadTimeout())
        .isEqualTo(Duration.ofSeconds(1));
    assertThat(lean.coalescing().maxAge()).isEqualTo(Duration.ofSeconds(3));
    assertThat(lean.coalescing().indices()).containsExactly("logs-*");
    assertThat(policy.defaultPolicySettings().coalescing().indices()).isEmpty();
    assertThat(lean.trimming().profiles()).containsOnlyKeys("ids");
    assertThat(lean.trimming().rules()).hasSize(1);
    assertThat(policy.defaultPolicySettings().trimming().rules()).isEmpty();
    assertThat(lean.sampling().enabled()).isFalse();
    assertThat(lean.sampling().minShardsPerIndex()).isEqualTo(7);
  }

  @Test
  void inheritUnsetKeysOfRoutingBulksAndMemory() {
    GatewayPolicy policy =
        loaded(
            """
            routes: [{name: a, policy: own}]
            policies:
              own:
                routing: {algorithm: c3, hedging: {enabled: false}}
                bulk: {merge: {indices: [logs]}, streaming: {threshold: 1mb}}
                request-memory: {max-bytes: 2mb, node-ceiling: {max-buckets: 70}}
                max-in-flight: 3
            routing: {score-jitter-ratio: 0.2, hedging: {budget-ratio: 0.1}}
            bulk: {max-in-flight-bytes-per-node: 3mb, single-shard: {indices: ["logs-*"]}}
            admission: {request-memory: {max-bytes: 9mb, max-pool-ratio: 0.5, node-ceiling: {max-bytes: 64mb}}, retry-after: 4s}
            """);
    PolicySettings own = Objects.requireNonNull(policy.namedPolicySettings().get("own"));
    assertThat(own.routing().algorithm()).isEqualTo(RoutingPolicy.Algorithm.C3);
    assertThat(own.routing().hedging().enabled()).isFalse();
    assertThat(own.routing().hedging().budgetRatio()).isEqualTo(0.1);
    assertThat(own.routing().scoreJitterRatio()).isEqualTo(0.2);
    assertThat(own.bulk().merge().indices()).containsExactly("logs");
    assertThat(own.bulk().singleShard().indices()).containsExactly("logs-*");
    assertThat(own.bulk().streaming().threshold()).isEqualTo(new ByteSize(1 << 20));
    assertThat(own.bulk().maxInFlightBytesPerNode()).isEqualTo(new ByteSize(3 << 20));
    assertThat(own.requestMemory().maxBytes()).isEqualTo(new ByteSize(2 << 20));
    assertThat(own.requestMemory().maxPoolRatio()).isEqualTo(0.5);
    assertThat(own.requestMemory().nodeCeiling())
        .isEqualTo(new NodeCeilingPolicy(new ByteSize(64 << 20), 70));
    assertThat(own.maxInFlight()).isEqualTo(3);
    assertThat(own.retryAfter()).isEqualTo(Duration.ofSeconds(4));
    assertThat(policy.defaultPolicySettings().routing()).isEqualTo(policy.routing());
    assertThat(policy.defaultPolicySettings().maxInFlight()).isZero();
  }

  @Test
  void rejectNodeWideSettingsInAPolicy() {
    LoadResult read =
        parse(
            """
            routes: [{name: a, policy: own}]
            policies: {own: {routing: {health: {max-consecutive-failures: 1}}, bulk: {max-in-flight-bytes-per-node: 1mb}}}
            """);
    assertThat(((LoadResult.Invalid) read).render())
        .contains(
            "got unknown key 'health' in 'policies.own.routing' (expected: algorithm, hedging,"
                + " retries, locality)")
        .contains("there is one in the file itself, 'routing', which holds for all requests")
        .contains("got unknown key 'max-in-flight-bytes-per-node' in 'policies.own.bulk'")
        .contains("there is one in 'bulk', which holds for all requests");
  }

  @Test
  void hideInheritedFileValues(@TempDir Path folder) throws IOException {
    String secret = "${file:" + Files.writeString(folder.resolve("log"), "/hidden") + "}";
    LoadResult.Loaded loaded =
        (LoadResult.Loaded)
            parse(
                "traffic: {dual-writes: {target-cluster: blue, repair-log-directory: '"
                    + secret
                    + "'}}\n"
                    + "policies: {p: {traffic: {split-by: index}}}\n"
                    + "routes: [{name: r, policy: p}]\n");
    assertThat(own(loaded.policy(), "p").dualWrites().repairLogDirectory()).isEqualTo("/hidden");
    assertThat(PolicyTree.toMap(loaded.policy(), loaded.fileReferences().keys()).toString())
        .doesNotContain("/hidden");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "traffic: {weights: {grene: 1}} | 2:21: got 'grene' (expected: one of the clusters green,"
            + " blue, amber): traffic.weights.grene; did you mean 'green'?",
        "traffic: {weights: {green: -1, blue: 2}} | 2:28: got -1.0 (expected: 0 to 1000000)",
        "traffic: {weights: {green: 0}} | 2:20: got weights of 0 alone",
        "traffic: {shadow: {target-cluster: blu}} | 2:36: got 'blu' (expected: one of the clusters"
            + " green, blue, amber): traffic.shadow.target-cluster; did you mean 'blue'?",
        "traffic: {rollback: {target-cluster: red}} | 2:38: got 'red' (expected: one of the"
            + " clusters",
        "traffic: {dual-writes: {target-cluster: blue}} | 2:41: got blue without"
            + " repair-log-directory (expected: a directory",
        "traffic: {canary-header: 'a b'} | got 'a b' (expected: the name of a header",
        "traffic: {split-by: tenant} | 2:21: got tenant while admission.tenants tells none apart",
        "traffic: {split-by: clients} | did you mean 'client'?",
        "traffic: {weigths: {}} | did you mean 'weights'?",
        "routes: [{name: a, policy: logs}] | got 'logs' (expected: a name in policies)",
        "policies: {p: {}} | 2:12: got a policy that no route names (expected: a route with policy:"
            + " p): policies.p",
      })
  void refusesWithThePlace(String more, String message) {
    LoadResult.Invalid refused = (LoadResult.Invalid) parse(more);
    assertThat(refused.problems()).as(refused.render()).hasSize(1);
    assertThat(refused.render()).contains(message);
  }

  @Test
  void refusesRoutesThatCantBeMeant() {
    LoadResult.Invalid refused =
        (LoadResult.Invalid)
            parse(
                """
                routes:
                  - {name: a, policy: logz}
                  - {name: a, policy: logs, methods: [get]}
                  - {name: "b c", policy: logs}
                  - {name: d, policy: logs, headers: {"X Y": "*"}}
                  - {name: e, policy: logs, tenants: [gold]}
                  - {name: f, policy: logs, actions: [serach]}
                policies: {logs: {}}
                """);
    assertThat(refused.problems())
        .extracting(problem -> problem.line() + ":" + problem.column() + " " + problem.message())
        .satisfiesExactly(
            it -> assertThat(it).startsWith("3:23 got 'logz' (expected: one of logs)"),
            it -> assertThat(it).startsWith("4:12 got 'a' twice"),
            it -> assertThat(it).startsWith("4:38 got 'get' (expected: of GET, POST"),
            it -> assertThat(it).startsWith("5:12 got 'b c' (expected: 1 to 64"),
            it -> assertThat(it).startsWith("6:39 got 'X Y' (expected: the name of a header"),
            it -> assertThat(it).startsWith("7:38 got tenants while admission.tenants"),
            it -> assertThat(it).startsWith("8:39 got 'serach' (expected: one of search"));
    assertThat(refused.render()).contains("did you mean 'logs'?").contains("did you mean 'search'");
  }

  @Test
  void saysWhereAKeyThatIsNoPolicysBelongs() {
    LoadResult.Invalid refused =
        (LoadResult.Invalid)
            parse("routes: [{name: r, policy: p}]\npolicies: {p: {weights: {}}}\n");
    assertThat(refused.problems()).hasSize(1);
    assertThat(refused.render())
        .contains(
            ":3:16: got unknown key 'weights' in 'policies.p'", "there is one in 'traffic', ");
  }

  @Test
  void checkSectionsOfPoliciesToo() {
    LoadResult.Invalid refused =
        (LoadResult.Invalid)
            parse(
                """
                routes: [{name: r, policy: p}]
                policies:
                  p:
                    trimming: {rules: [{profile: lean, user-agents: [a]}]}
                """);
    assertThat(refused.problems()).hasSize(1);
    assertThat(refused.render())
        .contains(":5:34: got 'lean' (expected: one of []): policies.p.trimming.rules[0].profile");
  }

  @Test
  void reportAGlobalProblemOnce() {
    LoadResult.Invalid refused =
        (LoadResult.Invalid)
            parse(
                """
                traffic: {weights: {red: 1}, shadow: {target-cluster: red}, dual-writes: {target-cluster: red}}
                policies: {p: {}, q: {traffic: {dual-writes: {repair-log-directory: /log}}}}
                routes: [{name: r, policy: p}, {name: s, policy: q}]
                """);
    assertThat(refused.problems()).extracting(ConfigurationProblem::line).containsOnly(2);
    assertThat(refused.problems()).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'logs-*': 'new-*' |",
        "a: b |",
        "'*': 'blue-*' |",
        "'a*b*': c | got 'a*b*' (expected: an index, or one with a *)",
        "'logs-*': logs | got 'logs' for 'logs-*' (expected: an index with one *, as its pattern)",
        "logs: 'logs-*' | got 'logs-*' for 'logs' (expected: an index without *)",
        "'logs-*': 'a*b*' | got 'a*b*' for 'logs-*'",
        "'a,b': c | got 'a,b' (expected: an index",
        "_all: c | got '_all' (expected: an index",
        "a: '' | got '' for 'a'",
      })
  void renamesOneStarByOneStar(String rename, String message) {
    LoadResult result =
        new PolicyLoader(Map.of())
            .parse("w", "clusters: {a: {seeds: [\"h:1\"], index-renames: {" + rename + "}}}\n");
    if (message == null) {
      assertThat(result).isInstanceOf(LoadResult.Loaded.class);
    } else {
      assertThat(((LoadResult.Invalid) result).problems()).hasSize(1);
      assertThat(((LoadResult.Invalid) result).render()).contains(message);
    }
  }
}
