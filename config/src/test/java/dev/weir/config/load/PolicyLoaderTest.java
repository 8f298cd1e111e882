package dev.weir.config.load;

import static dev.weir.config.load.PolicyTexts.SMALLEST;
import static dev.weir.config.load.PolicyTexts.loaded;
import static dev.weir.config.load.PolicyTexts.onlyMessage;
import static dev.weir.config.load.PolicyTexts.problems;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.NodeAttribute;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.SamplingPolicy;
import dev.weir.config.policy.SniffingPolicy;
import dev.weir.config.policy.TrimmingPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PolicyLoaderTest {
  @Test
  void readsAttributesAndTheGatewaysThatSniffersFind() {
    GatewayPolicy policy =
        loaded(
            SMALLEST
                + "routing: {gateway-attributes: [zone=a, rack=r=1]}\n"
                + "http: {sniffing: {gateway-addresses: [\"gw.example.org:9200\"]}}\n");

    assertThat(policy.routing().gatewayAttributes())
        .containsExactly(new NodeAttribute("zone", "a"), new NodeAttribute("rack", "r=1"));
    assertThat(policy.http().sniffing().advertise())
        .isEqualTo(SniffingPolicy.AdvertisedAddresses.GATEWAYS);
    assertThat(policy.http().sniffing().gatewayAddresses())
        .containsExactly(new HostPort("gw.example.org", 9200));
    assertThat(onlyMessage(SMALLEST + "routing: {gateway-attributes: [zone]}\n"))
        .contains(
            "got 'zone' (expected: NAME=VALUE, such as zone=a): routing.gateway-attributes[0]");
    assertThat(onlyMessage(SMALLEST + "http: {sniffing: {gateway-addresses: [\"gw:0\"]}}\n"))
        .contains("http.sniffing.gateway-addresses[0]");
  }

  @Test
  void smallestConfigHasEveryDefault() {
    GatewayPolicy policy = loaded(SMALLEST);
    assertThat(policy.defaultClusterName()).isEqualTo("main");
    assertThat(policy.defaultCluster().seeds()).containsExactly(new HostPort("127.0.0.1", 9301));
    assertThat(policy.defaultCluster().compression()).isEqualTo(ClusterPolicy.Compression.AUTO);
    assertThat(policy.http().listen()).isEqualTo(new HostPort("127.0.0.1", 9200));
    assertThat(policy.http().maxBodyBytes()).isEqualTo(new ByteSize(100L << 20));
    assertThat(policy.admin().listen()).isEqualTo(new HostPort("127.0.0.1", 9250));
    assertThat(policy.routing().algorithm()).isEqualTo(RoutingPolicy.Algorithm.ADAPTIVE);
    assertThat(policy.routing().c3().ewmaAlpha()).isEqualTo(0.3);
  }

  @Test
  void readsUnitsChoicesAndNestedSections() {
    GatewayPolicy policy =
        loaded(
            """
            clusters:
              main:
                seeds: ["127.0.0.1:9301"]
                connect-timeout: 400ms
                compression: on
            http: {listen: "[::1]:0", max-body-bytes: 5MB}
            routing:
              algorithm: round-robin
              c3: {queue-decay-time: 1m}
            """);
    assertThat(policy.defaultCluster().connectTimeout()).isEqualTo(Duration.ofMillis(400));
    assertThat(policy.defaultCluster().compression()).isEqualTo(ClusterPolicy.Compression.ON);
    assertThat(policy.http().listen()).isEqualTo(new HostPort("::1", 0));
    assertThat(policy.http().maxBodyBytes()).isEqualTo(new ByteSize(5L << 20));
    assertThat(policy.routing().algorithm()).isEqualTo(RoutingPolicy.Algorithm.ROUND_ROBIN);
    assertThat(policy.routing().c3().queueDecayTime()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void reportsEveryProblemAtItsPlace() {
    List<ConfigurationProblem> problems =
        problems(
            """
            clusters:
              main:
                seed: ["127.0.0.1:9301"]
            http:
              listen: 9200
              max-body-bytes: 100
              listen: 127.0.0.1:9200
            routing:
              algorithm: c4
            colour: blue
            """);
    assertThat(problems)
        .extracting(problem -> problem.line() + ":" + problem.column())
        .containsExactly("3:5", "3:5", "5:11", "6:19", "7:3", "9:14", "10:1");
    assertThat(problems)
        .extracting(ConfigurationProblem::message)
        .anySatisfy(message -> assertThat(message).contains("no 'clusters.main.seeds'"))
        .anySatisfy(message -> assertThat(message).contains("'listen' a second time"))
        .anySatisfy(message -> assertThat(message).contains("unknown key 'colour'"));
  }

  @Test
  void checkCombinationsDespiteOtherProblems() {
    assertThat(
            problems(
                    SMALLEST
                        + "http: {event-loops: some, tls: {enabled: true}}\n"
                        + "routing: {score-jitter-ratio: 7, health: {base-ejection-time: 1h,"
                        + " max-ejection-time: 1s}}\n"
                        + "responses: {trimming: {profiles: {lean: {drop: [shard]}}, rules:"
                        + " [{profile: lean, tenants: [a]}]}}\n")
                .stream()
                .map(problem -> problem.line() + ":" + problem.column()))
        .as("the last rule's profile is there, though it is wrong")
        .containsExactly("4:21", "4:32", "4:32", "5:31", "5:86", "6:49");
  }

  @Test
  void reportTheStartOfAnUnclosedBracket() {
    assertThat(onlyMessage("clusters:\n  main:\n    seeds: [\"a:1\"\nhttp: {}\n"))
        .contains("look at what begins at line 3, column 12");
    assertThat(onlyMessage(SMALLEST + "routing: {score-jitter-ratio: ${SEED}}\n"))
        .contains("write \"${NAME}\" with quotes");
  }

  @Test
  void saysWhereAMisplacedKeyBelongs() {
    assertThat(onlyMessage(SMALLEST + "http: {drop: [shards]}\n"))
        .contains("there is one in 'responses.trimming.profiles.NAME'");
  }

  @Test
  void showTheContextWithinALongLine() {
    String wide = "x".repeat(300);
    assertThat(
            onlyMessage(
                SMALLEST
                    + "routing: {gateway-attributes: [a="
                    + wide
                    + ", zone, b="
                    + wide
                    + "]}\n"))
        .contains("x, zone, b=x", " | ...xxx", "xxx...\n", "^^^^\n")
        .satisfies(text -> assertThat(text.lines().skip(1)).allMatch(line -> line.length() < 180));
  }

  @Test
  void showTheLineACaretAndASuggestion() {
    assertThat(onlyMessage(SMALLEST + "http: {lisen: 127.0.0.1:9200}\n"))
        .startsWith("weir.yaml:4:8: got unknown key 'lisen' in 'http' (expected: listen, ")
        .contains("did you mean 'listen'?")
        .contains("  4 | http: {lisen: ...\n")
        .endsWith("    |        ^^^^^\n");
    assertThat(onlyMessage(SMALLEST + "routing: {algorithm: roundrobin}\n"))
        .contains("(expected: one of adaptive, c3, least-outstanding, round-robin)")
        .contains("did you mean 'round-robin'?");
    assertThat(onlyMessage(SMALLEST + "admin: {drain-timeout: 30}\n"))
        .contains("such as 400ms")
        .contains("'30ms' or '30s'");
    assertThat(onlyMessage("clusters: {main: {seeds: [\"http://n:9300\"]}}\n"))
        .contains("leave out 'http://'");
  }

  @Test
  void rejectValuesOutOfBounds() {
    assertThat(onlyMessage(SMALLEST + "routing: {c3: {ewma-alpha: 1.5}}\n"))
        .contains("got 1.5 (expected: 0.001 to 1): routing.c3.ewma-alpha");
    assertThat(onlyMessage("clusters: {main: {seeds: []}}\n"))
        .contains("got 0 entries (expected: at least 1)");
    assertThat(onlyMessage("clusters: {}\n")).contains("(expected: at least 1)");
    assertThat(onlyMessage(SMALLEST + "routing: {c3: {ewma-alpha: NaN}}\n")).contains("a number");
  }

  @Test
  void rejectContradictions() {
    assertThat(onlyMessage(SMALLEST + "admin: {listen: 127.0.0.1:9200}\n"))
        .contains("another port than http.listen");
    assertThat(onlyMessage("clusters: {main: {seeds: [\"n:0\"]}}\n")).contains("got port 0");
    assertThat(onlyMessage(SMALLEST + "routing: {health: {base-ejection-time: 1m}}\n"))
        .contains("at least base-ejection-time");
    assertThat(problems(SMALLEST + "http: {tls: {enabled: true}}\n"))
        .extracting(ConfigurationProblem::message)
        .containsExactly(
            "got none (expected: the file of a certificate chain): http.tls.certificate-file",
            "got none (expected: the file of the certificate's key): http.tls.key-file");
    assertThat(onlyMessage("clusters: {main: {seeds: [\"n:1\"], rest-tls: {key-file: k.pem}}}\n"))
        .contains("clusters.main.rest-tls.certificate-file");
    assertThat(onlyMessage(SMALLEST + "bulk: {retry: {max-backoff: 10ms}}\n"))
        .contains("4:29: got 10ms (expected: at least initial-backoff, 50ms)")
        .contains("bulk.retry.max-backoff");
    loaded(SMALLEST + "bulk: {retry: {initial-backoff: 10ms, max-backoff: 10ms}}\n");
  }

  @Test
  void namesEveryTlsFileThatIsNotThere(@TempDir Path folder) throws Exception {
    Path key = Files.writeString(folder.resolve("k.pem"), "");
    assertThat(
            problems(
                """
                clusters:
                  main:
                    seeds: ["n:1"]
                    transport-tls: {enabled: true, ca-file: no-ca.pem}
                    rest-tls: {enabled: false, ca-file: not-used.pem}
                http: {tls: {enabled: true, certificate-file: no-c.pem, key-file: "%s"}}
                """
                    .formatted(key)))
        .extracting(ConfigurationProblem::message)
        .containsExactly(
            "got no-ca.pem, which is not there (expected: a PEM file):"
                + " clusters.main.transport-tls.ca-file",
            "got no-c.pem, which is not there (expected: a PEM file): http.tls.certificate-file");
  }

  @Test
  void takesALargerBodyThanIsGathered() {
    assertThat(
            loaded(
                    SMALLEST
                        + "http: {max-body-bytes: 2mb}\nadmission: {max-total-body-bytes: 1mb}\n")
                .http()
                .maxBodyBytes())
        .isEqualTo(new ByteSize(2 << 20));
  }

  @Test
  void takesSharesOfTheHeap() {
    long heap = Runtime.getRuntime().maxMemory();
    assertThat(loaded(SMALLEST).admission().maxTotalResponseBytes().bytes())
        .isBetween(heap / 100 * 25 - (1 << 20), heap / 100 * 25);
    assertThat(
            loaded(SMALLEST + "admission: {max-total-body-bytes: 40%}\n")
                .admission()
                .maxTotalBodyBytes()
                .bytes())
        .isBetween(heap / 100 * 40 - (1 << 20), heap / 100 * 40);
    for (String share : List.of("0%", "101%", "x%")) {
      assertThat(onlyMessage(SMALLEST + "admission: {max-total-body-bytes: " + share + "}\n"))
          .contains("or a share of the heap, such as 15%");
    }
    assertThat(onlyMessage(SMALLEST + "http: {slow-clients: {min-body-rate: 5%}}\n"))
        .contains("got '5%' (expected: a size with a unit (b, kb, mb, gb, tb), such as 100mb)");
  }

  @Test
  void showsNoLineThatMayHoldASecret() {
    assertThat(
            onlyMessage(
                SMALLEST
                    + "http: {tls: {key-password: hunter2, enabled: false}, event-loops: many}\n"))
        .contains("got 'many' (expected: a whole number): http.event-loops")
        .doesNotContain("hunter2");
    assertThat(onlyMessage(SMALLEST + "http: {tls: {keypassword: hunter2}}\n"))
        .contains("got unknown key 'keypassword'")
        .doesNotContain("hunter2");
  }

  @Test
  void readSamplingSettings() {
    assertThat(loaded(SMALLEST).responses().sampling()).isEqualTo(SamplingPolicy.DEFAULT);
    assertThat(
            loaded(SMALLEST + "responses: {sampling: {enabled: false, min-shards-per-index: 9}}\n")
                .responses()
                .sampling())
        .isEqualTo(new SamplingPolicy(false, 9));
    assertThat(onlyMessage(SMALLEST + "responses: {sampling: {min-shards-per-index: 1}}\n"))
        .contains("responses.sampling.min-shards-per-index");
  }

  @Test
  void readTrimmingProfilesAndRules() {
    GatewayPolicy policy =
        loaded(
            SMALLEST
                + """
                responses:
                  trimming:
                    profiles:
                      lean: {drop: [shards, max-score], source-includes: [title]}
                    rules:
                      - {profile: lean, user-agents: ["app/*"], indices: ["logs-*"]}
                """);
    TrimmingPolicy.Profile lean = policy.responses().trimming().profiles().get("lean");
    assertThat(lean)
        .isEqualTo(
            new TrimmingPolicy.Profile(
                List.of(TrimmingPolicy.Part.SHARDS, TrimmingPolicy.Part.MAX_SCORE),
                List.of("title"),
                List.of()));
    assertThat(policy.responses().trimming().rules())
        .containsExactly(
            new TrimmingPolicy.Rule("lean", List.of("app/*"), List.of(), List.of("logs-*")));
    assertThat(loaded(SMALLEST).responses().trimming()).isEqualTo(TrimmingPolicy.none());
    assertThat(loaded(SMALLEST).http().compression().minBodyBytes()).isEqualTo(new ByteSize(1024));
  }

  @Test
  void refusesTrimmingThatMakesNoSense() {
    String profiles = SMALLEST + "responses: {trimming: {profiles: {lean: {drop: [shards]}}, ";
    assertThat(onlyMessage(profiles + "rules: [{profile: mean, user-agents: [a]}]}}\n"))
        .contains("got 'mean' (expected: one of [lean]): responses.trimming.rules[0].profile");
    assertThat(onlyMessage(profiles + "rules: [{profile: lean, indices: [a]}]}}\n"))
        .contains("got everybody (expected: user-agents or tenants");
    assertThat(onlyMessage(profiles + "rules: [{profile: lean}]}}\n")).contains("got everybody");
    String one = SMALLEST + "responses: {trimming: {profiles: {";
    assertThat(onlyMessage(one + "none: {drop: [shards]}}}}\n")).contains("a meaning of its own");
    assertThat(onlyMessage(one + "max-score: {drop: [id]}}}}\n")).contains("a meaning of its own");
    assertThat(onlyMessage(one + "\"a,b\": {drop: [id]}}}}\n")).contains("got 'a,b' (expected: 1");
    assertThat(onlyMessage(one + "lean: {}}}}\n")).contains("got nothing to leave out");
    assertThat(onlyMessage(one + "lean: {drop: [source], source-includes: [a]}}}}\n"))
        .contains("got fields of a source that is dropped");
    assertThat(onlyMessage(one + "lean: {drop: [shard]}}}}\n")).contains("got 'shard'");
  }

  @Test
  void putsEnvironmentVariablesIn() {
    assertThat(loaded("clusters: {main: {seeds: [\"${SEED}\"]}}").defaultCluster().seeds())
        .containsExactly(new HostPort("10.0.0.7", 9300));
    assertThat(
            loaded("clusters: {main: {seeds: [\"${OTHER:-h}:${PORT:-1}\"]}}")
                .defaultCluster()
                .seeds())
        .containsExactly(new HostPort("h", 1));
    assertThat(onlyMessage("clusters: {main: {seeds: [\"${OTHER}\"]}}"))
        .contains("got ${OTHER} (expected: a set environment variable)");
    assertThat(onlyMessage(SMALLEST + "responses: {export: {max-in-flight: \"${N:-0}\"}}\n"))
        .contains("got 0 (expected: 1 to 10000)");
    assertThat(onlyMessage("clusters: {main: {seeds: [\"${1}\"]}}")).contains("names nothing");
  }

  @Test
  void rejectInvalidYamlAndShapes() {
    assertThat(onlyMessage("clusters: [\n")).contains("got no YAML");
    assertThat(onlyMessage("")).contains("got an empty file");
    assertThat(onlyMessage("just words")).contains("expected: keys and values");
    assertThat(onlyMessage(SMALLEST + "---\na: 1\n")).contains("a second document");
    assertThat(onlyMessage(SMALLEST + "http: 9200\n")).contains("expected: keys and values");
    assertThat(onlyMessage("clusters: {main: {seeds: x:1}}")).contains("write it as [...]");
    assertThat(onlyMessage(SMALLEST + "http: {listen: [a, b]}\n")).contains("expected: one value");
    assertThat(onlyMessage("a: &a [*a]\n" + SMALLEST)).contains("unknown key 'a'");
  }

  @Test
  void useDefaultsForAnEmptySection() {
    assertThat(loaded(SMALLEST + "http:\nadmin:\n  listen:\n")).isEqualTo(loaded(SMALLEST));
  }

  @Test
  void namesTheFileThatIsMissing(@TempDir Path folder) throws Exception {
    Path missing = folder.resolve("none.yaml");
    PolicyLoader loader = new PolicyLoader(Map.of());
    assertThat(((LoadResult.Invalid) loader.load(missing)).render())
        .contains(missing.toString())
        .contains("no such file")
        .endsWith("1 problem\n");
    Path file = Files.writeString(folder.resolve("weir.yaml"), SMALLEST);
    assertThat(loader.load(file)).isInstanceOf(LoadResult.Loaded.class);
  }
}
