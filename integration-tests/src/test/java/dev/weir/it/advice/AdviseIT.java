package dev.weir.it.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.advice.Advice;
import dev.weir.advice.CheckCatalog;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.MendStep;
import dev.weir.config.load.FileReferences;
import dev.weir.config.load.LoadResult;
import dev.weir.gateway.Main;
import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.fixtures.TestPolicies;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every fault is planted, found with its figure, and mended by the command that is printed. */
@Drawn(oneIn = 6)
class AdviseIT {
  private static final String LOGS = "logs";

  private static AdvisedCluster cluster;

  @BeforeAll
  static void prepare() {
    cluster = new AdvisedCluster(AdvisedCluster.threeNodes());
    cluster.createIndex(LOGS, "\"number_of_shards\":3,\"number_of_replicas\":1", 100);
  }

  @AfterAll
  static void cleanUp() {
    cluster.close();
  }

  /** Each test leaves a healthy cluster, so that the next one finds what it plants alone. */
  @AfterEach
  void leaveAHealthyCluster() {
    rest().send("DELETE", "/fault-*").orThrow();
    Advice advice =
        Await.untilValue(
            "no finding",
            () -> cluster.advice(),
            now -> now.findings().stream().noneMatch(AdviseIT::isOfTheCluster));
    assertThat(advice.notRun()).isEmpty();
  }

  /**
   * Whether a finding is of the cluster; the machine of the tests may have swap, be small, or be
   * slow.
   */
  private static boolean isOfTheCluster(Finding finding) {
    return !finding.check().equals("swap")
        && !finding.check().equals("heap")
        && !finding.check().equals("node-health");
  }

  private static RestClient rest() {
    return cluster.rest();
  }

  private static void plant(String layer, String key, String value) {
    rest()
        .send(
            "PUT", "/_cluster/settings", "{\"" + layer + "\":{\"" + key + "\":\"" + value + "\"}}")
        .orThrow();
  }

  private static void plantInIndex(String index, String key, String value) {
    rest().send("PUT", "/" + index + "/_settings", "{\"" + key + "\":\"" + value + "\"}").orThrow();
  }

  private static void findAndMend(String check, String subject, String figure) {
    cluster.mend(cluster.await(check, subject, figure));
  }

  private static void createFault(String name, int shards, String more) {
    cluster.createIndex(
        name, "\"number_of_shards\":" + shards + (more.isEmpty() ? "" : "," + more), 20);
  }

  /** Sends requests, several at a time. */
  private static void forEach(int count, IntConsumer request) {
    List<Future<?>> sent = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < count; i++) {
        int number = i;
        sent.add(threads.submit(() -> request.accept(number)));
      }
    }
    assertThat(sent).allMatch(one -> one.state() == Future.State.SUCCESS);
  }

  @Test
  void findNothingInAHealthyClusterUnderTraffic() {
    for (int i = 0; i < 1200; i++) {
      cluster.gateway().rest().send("GET", "/" + LOGS + "/_search?q=n:" + i % 100).orThrow();
    }
    Advice advice = cluster.advice();
    assertThat(advice.checks()).isEqualTo(CheckCatalog.all().size());
    assertThat(advice.findings()).filteredOn(AdviseIT::isOfTheCluster).isEmpty();
  }

  @Test
  void findLimitsOfRecoveries() {
    String limit = "indices.recovery.max_bytes_per_sec";
    plant("persistent", limit, "1mb");
    findAndMend("recovery-limit", limit, "1mb/s");
    String count = "cluster.routing.allocation.node_concurrent_recoveries";
    plant("transient", count, "1");
    findAndMend("concurrent-recoveries", count, "1 (expected: 2 to 20)");
  }

  @Test
  void findWhatAnInterruptedRestartLeft() {
    String enable = "cluster.routing.allocation.enable";
    plant("persistent", enable, "primaries");
    findAndMend("allocation", enable, "primaries, with 0 copies unassigned");
    String rebalance = "cluster.routing.rebalance.enable";
    plant("transient", rebalance, "none");
    findAndMend("allocation", rebalance, "none");
    String exclude = "cluster.routing.allocation.exclude._name";
    plant("transient", exclude, "node-9");
    findAndMend("node-filter", exclude, "node-9, which names no node");
    rest().send("POST", "/_cluster/voting_config_exclusions?node_names=node-3").orThrow();
    findAndMend("voting-exclusions", "cluster", "1 nodes may not vote: node-3");
    String logger = "logger.org.opensearch.cluster.routing";
    plant("transient", logger, "DEBUG");
    findAndMend("logger-levels", logger, "DEBUG");
  }

  @Test
  void findADrainedNode() {
    cluster.gateway().admin().send("POST", "/nodes/node-2/drain").orThrow();
    findAndMend("drained-nodes", "node-2", "weight 0");
    Await.untilValue(
        "no drained node",
        () -> cluster.gateway().admin().send("GET", "/nodes").body(),
        body -> !body.contains("drained"));
  }

  @Test
  void findMissingZoneAwareness() {
    String key = "cluster.routing.allocation.awareness.attributes";
    plant("persistent", key, "");
    findAndMend("zone-awareness", "node.attr.zone", "3 values (zone-node-1, zone-node-2");
  }

  @Test
  void findTheLimitOfShards() {
    plant("persistent", "cluster.max_shards_per_node", "2");
    findAndMend(
        "max-shards",
        "cluster.max_shards_per_node",
        "6 copies of shards of 6 that 3 data nodes may have");
    rest()
        .send(
            "PUT", "/_cluster/settings", "{\"persistent\":{\"cluster.max_shards_per_node\":null}}")
        .orThrow();
  }

  @Test
  void findSettingsOfIndices() {
    String index = "fault-settings";
    createFault(index, 1, "\"number_of_replicas\":0");
    findAndMend("no-replicas", index, "0 replicas of 1 shards with 20 documents");
    plantInIndex(index, "index.refresh_interval", "-1");
    findAndMend("refresh-interval", index, "refreshes are off");
    plantInIndex(index, "index.translog.durability", "async");
    findAndMend("translog", index, "async, synced every 5s");
    plantInIndex(index, "index.blocks.read_only_allow_delete", "true");
    findAndMend("write-blocks", index, "index.blocks.read_only_allow_delete is true");
    rest().send("PUT", "/" + index + "/_doc/1", "{\"n\":1}").orThrow();
    plantInIndex(index, "index.number_of_replicas", "3");
    findAndMend("unassigned-copies", index, "1 copies on no node; 3 replicas need 4 data nodes");
    rest().send("POST", "/" + index + "/_close").orThrow();
    findAndMend("closed-indices", index, "3 copies of shards of a closed index");
  }

  @Test
  void findAMappingNearItsLimit() {
    String index = "fault-fields";
    createFault(index, 1, "\"index.mapping.total_fields.limit\":20");
    StringBuilder document = new StringBuilder("{\"n\":1");
    for (int i = 0; i < 17; i++) {
      document.append(",\"field%d\":%d".formatted(i, i));
    }
    rest().send("PUT", "/" + index + "/_doc/1", document.append('}').toString()).orThrow();
    findAndMend("field-limit", index, "18 fields of 20");
    rest().send("PUT", "/" + index + "/_doc/2", "{\"one\":1,\"two\":2,\"three\":3}").orThrow();
  }

  @Test
  void findSegmentsOfAnIndexThatIsNotWritten() {
    String index = "fault-segments";
    createFault(index, 1, "\"number_of_replicas\":1,\"index.merge.policy.segments_per_tier\":50");
    for (int i = 0; i < 8; i++) {
      rest().send("PUT", "/" + index + "/_doc/a" + i + "?refresh=true", "{\"n\":1}").orThrow();
    }
    plantInIndex(index, "index.blocks.read_only", "true");
    Finding found = cluster.await("segments", index, "");
    long segments = Long.parseLong(found.figure().replaceFirst(" .*", ""));
    assertThat(segments).isGreaterThan(5);
    cluster.mend(found);
    assertThat(
            rest().send("GET", "/_cat/indices/" + index + "?h=pri.segments.count").body().strip())
        .isEqualTo("1");
    plantInIndex(index, "index.blocks.read_only", "false");
  }

  @Test
  void findManySmallShards() {
    String index = "fault-tiny";
    createFault(index, 24, "\"number_of_replicas\":1");
    long copies =
        rest()
            .send("GET", "/_cat/shards?h=node")
            .body()
            .lines()
            .map(String::strip)
            .filter("node-1"::equals)
            .count();
    Finding heap = cluster.await("shards-per-heap", "node-1", copies + " copies of shards in ");
    Finding tiny = cluster.await("tiny-shards", index, "24 primaries of");
    cluster.runCalls(cluster.gateway(), tiny);
    cluster.nodes().awaitGreen();
    assertThat(rest().send("GET", "/_cat/indices/fault-tiny*?h=docs.count").orThrow().body())
        .as("counts of both indices")
        .isEqualToIgnoringWhitespace("20 20");
    swapAsTheNoteSays(tiny, index);
    cluster.awaitGone(cluster.gateway(), tiny);
    cluster.awaitGone(cluster.gateway(), heap);
    assertThat(
            JsonResponse.of(rest().send("GET", "/" + index + "/_count").orThrow()).number("count"))
        .as("documents of the shrunk index, by the old name")
        .isEqualTo(20);
  }

  /** Sends the one call that the note has after its path. */
  private static void swapAsTheNoteSays(Finding finding, String index) {
    String note = finding.mend().note();
    String body = note.substring(note.indexOf('{'), note.lastIndexOf('}') + 1);
    assertThat(body).contains("remove_index", "\"" + index + "-shrunk\"");
    rest().send("POST", "/_aliases", body).orThrow();
  }

  @Test
  void findUnbalancedPrimaries() {
    String index = "fault-primaries";
    plant("transient", "cluster.routing.rebalance.enable", "none");
    createFault(
        index,
        12,
        "\"number_of_replicas\":0,\"index.routing.allocation.require._name\":\"node-1\"");
    rest()
        .send(
            "PUT",
            "/" + index + "/_settings",
            "{\"index.number_of_replicas\":1,\"index.routing.allocation.require._name\":null}")
        .orThrow();
    cluster.nodes().awaitGreen();
    long primaries = primariesOf("node-1");
    findAndMend("unbalanced-primaries", "node-1", primaries + " primaries, beside a mean of 5");
    assertThat(primariesOf("node-1")).isLessThan(primaries - 5);
    cluster.nodes().awaitGreen();
    rest()
        .send(
            "PUT",
            "/_cluster/settings",
            "{\"transient\":{\"cluster.routing.rebalance.enable\":null}}")
        .orThrow();
  }

  private static long primariesOf(String node) {
    return rest()
        .send("GET", "/_cat/shards?h=prirep,node")
        .body()
        .lines()
        .map(line -> line.replaceAll(" +", " ").strip())
        .filter(("p " + node)::equals)
        .count();
  }

  @Test
  void findHotShardsIndicesAndTenantsByTheirTraffic() {
    String hot = "fault-hot";
    createFault(hot, 2, "\"number_of_replicas\":1");
    String sections =
        "clusters: {main: {seeds: [\"%s\"]}}\nhttp: {listen: \"127.0.0.1:0\"}\nadmin: {listen: \"127.0.0.1:0\"}\n"
            .formatted(String.join("\", \"", cluster.nodes().seeds()));
    String tenants = "admission: {tenants: {source: header, header: X-Tenant}}\n";
    try (TestBed bed = TestBed.startWithConfig(sections + tenants)) {
      forEach(
          1000,
          i -> {
            String path = "/" + hot + "/_search?routing=a&size=20&q=n:%5B0%20TO%20" + i + "%5D";
            bed.rest().send("GET", path, "", Map.of("X-Tenant", "big")).orThrow();
          });
      for (int i = 0; i < 50; i++) {
        String path = "/" + LOGS + "/_search?q=n:" + i;
        bed.rest().send("GET", path, "", Map.of("X-Tenant", "small")).orThrow();
      }
      Finding tenant = cluster.await(bed, "hot-tenant", "big", "");
      assertThat(tenant.figure())
          .matches("\\d+ % of the time of all requests, 1000 of 1\\d+ requests, of [23] tenants");
      Finding shard = awaitHotShard(bed);
      assertThat(shard.subject()).startsWith(hot + "[");
      assertThat(shard.figure())
          .matches("[\\d.]+ queries a minute, beside 0 of each other shard of the index .*");
      cluster.mend(bed, shard);
      reload(bed, sections, tenant);
      cluster.awaitGone(bed, tenant);
    }
  }

  /** The shard is found once its copies have been open for long enough to have a rate. */
  private static Finding awaitHotShard(TestBed bed) {
    return Await.untilValue(
            "a hot shard",
            () ->
                cluster.advice(bed).findings().stream()
                    .filter(one -> one.check().equals("hot-shard"))
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  /** Applies the section of the configuration that a finding prints, beside the tenants' source. */
  private static void reload(TestBed bed, String sections, Finding finding) {
    if (!(finding.mend().steps().getFirst() instanceof MendStep.GatewaySetting(String yaml))) {
      throw new AssertionError(finding.toString());
    }
    String merged = yaml.replace("tenants: {", "tenants: {source: header, header: X-Tenant, ");
    bed.gateway()
        .reload(
            new LoadResult.Loaded(
                TestPolicies.parse(sections + merged + "\n"), FileReferences.NONE));
  }

  @Test
  void findAHotIndexOnFewNodes() {
    String hot = "fault-hot-index";
    createFault(hot, 1, "\"number_of_replicas\":1");
    try (TestBed bed = TestBed.inFrontOf(cluster.nodes().seeds())) {
      for (int i = 0; i < 1000; i++) {
        bed.rest()
            .send("GET", "/" + hot + "/_search?size=20&q=n:%5B0%20TO%20" + i + "%5D")
            .orThrow();
      }
      for (int i = 0; i < 20; i++) {
        bed.rest().send("GET", "/" + LOGS + "/_search?q=n:" + i).orThrow();
      }
      Finding found = cluster.await(bed, "hot-index", hot, "");
      assertThat(found.figure()).contains("1000 of ", " requests, on 2 of 3 data nodes");
      cluster.mend(bed, found);
    }
  }

  @Test
  void theCommandPrintsFindingsAndExitsByTheirSeverity(@TempDir Path folder) throws Exception {
    Path config = folder.resolve("weir.yaml");
    Files.writeString(
        config,
        "clusters: {main: {seeds: [\"%s\"]}}\nhttp: {listen: \"%s\"}\nadmin: {listen: \"%s\"}\n"
            .formatted(
                cluster.nodes().seeds().getFirst(),
                cluster.gateway().uri().getAuthority(),
                cluster.gateway().admin().base().getAuthority()));
    plant("transient", "cluster.routing.allocation.enable", "none");
    Run found = run(config);
    assertThat(found.status()).as(found.output()).isEqualTo(3);
    assertThat(found.output())
        .contains("PROBLEM  allocation  cluster.routing.allocation.enable")
        .contains(
            "curl -g -sS --fail-with-body -X PUT '"
                + cluster.gateway().uri()
                + "/_cluster/settings' -H 'Content-Type: application/json' -d '{\"transient\":");
    Run other = run(config, "--only", "translog", "--json");
    assertThat(other.status()).as(other.output()).isZero();
    assertThat(JsonResponse.of(200, other.output()).number("checks")).isEqualTo(1);
    findAndMend("allocation", "cluster.routing.allocation.enable", "none");
    assertThat(run(config, "--endpoint", "http://127.0.0.1:1").status()).isEqualTo(1);
    assertThat(run(config, "--only", "nothing").status()).isEqualTo(2);
  }

  @Test
  void theAdminPortShowsTheSame() {
    String key = "logger.org.opensearch.index";
    plant("persistent", key, "TRACE");
    JsonResponse shown =
        Await.untilValue(
            "the planted level",
            () -> JsonResponse.of(cluster.gateway().admin().send("GET", "/advise").orThrow()),
            answer ->
                answer.objects("findings").stream()
                    .anyMatch(one -> key.equals(one.get("subject"))));
    assertThat(shown.number("checks")).isEqualTo(CheckCatalog.all().size());
    assertThat(String.valueOf(shown.at("findings")))
        .contains(
            "severity=advice",
            "curl -g -sS --fail-with-body -X PUT '" + cluster.gateway().uri() + "/_cluster");
    findAndMend("logger-levels", key, "TRACE");
  }

  private record Run(int status, String output) {}

  private static Run run(Path config, String... more) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "advise",
                "--config",
                config.toString()));
    command.addAll(List.of(more));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), output);
  }
}
