package dev.weir.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.advice.finding.Finding;
import dev.weir.advice.snapshot.ShardFacts;
import dev.weir.advice.snapshot.TenantBounds;
import dev.weir.advice.snapshot.TrafficFacts;
import dev.weir.advice.snapshot.TrafficFacts.Count;
import dev.weir.advice.snapshot.TrafficFacts.NodeState;
import dev.weir.advice.snapshot.TrafficFacts.Usage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TrafficChecksTest {
  private static final Usage NONE = new Usage(Map.of(), 0, 0);

  private static SnapshotFixture index(int replicas, long requests, long millis) {
    SnapshotFixture fixture = SnapshotFixture.healthy().index("one", 1, replicas, 100, Map.of());
    Usage usage =
        new Usage(Map.of("one", new Count(requests, millis), "logs", new Count(400, 500)), 0, 0);
    fixture.traffic = new TrafficFacts(usage, NONE, List.of(), TenantBounds.NONE);
    return fixture;
  }

  @Test
  void findHotIndicesOnFewNodes() {
    assertThat(index(1, 600, 500).run("hot-index")).as("half of the time").isEmpty();
    assertThat(index(1, 599, 501).run("hot-index")).as("999 requests").isEmpty();
    List<Finding> found = index(1, 600, 501).run("hot-index");
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().figure())
        .isEqualTo("50 % of the time of all requests, 600 of 1000 requests, on 2 of 3 data nodes");
    assertThat(index(2, 600, 501).run("hot-index")).as("on all nodes").isEmpty();
  }

  @Test
  void findHotShards() {
    long age = Duration.ofMinutes(10).toMillis();
    assertThat(hotShards(copy(0, 499, age), copy(1, 0, age))).as("few").isEmpty();
    assertThat(hotShards(copy(0, 600, age), copy(1, 200, age), copy(2, 200, age)))
        .as("three times as many")
        .isEmpty();
    List<Finding> found = hotShards(copy(0, 601, age), copy(1, 200, age), copy(2, 200, age));
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().subject()).isEqualTo("one[0]");
    assertThat(found.getFirst().figure())
        .startsWith("60.1 queries a minute, beside 20 of each other shard");
    assertThat(hotShards(copy(0, 1000, age), copy(1, 200, age))).as("five times").hasSize(1);
  }

  @Test
  void compareQueriesInTheSameTime() {
    long month = Duration.ofDays(30).toMillis();
    long hour = SnapshotFixture.HOUR_MILLIS;
    assertThat(hotShards(copy(0, 700_000, month), copy(1, 1000, hour)))
        .as("a shard that moved")
        .isEmpty();
    assertThat(hotShards(copy(0, 700_000, month), copy(1, 20, hour)))
        .as("a shard that moved at night")
        .isEmpty();
    assertThat(hotShards(copy(0, 4000, hour * 3 / 2), copy(1, 1000, hour)))
        .as("four times as many in more time")
        .isEmpty();
    List<Finding> found = hotShards(copy(0, 6000, hour * 5 / 4), copy(1, 1200, hour));
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().figure()).startsWith("80 queries a minute, beside 20 of each");
    assertThat(hotShards(copy(0, 720, month), copy(1, 72, month)).getFirst().figure())
        .as("less than one a minute")
        .startsWith("0.0167 queries a minute, beside 0.00167 of each");
  }

  @Test
  void addTheRatesOfTheCopiesOfAShard() {
    long age = Duration.ofMinutes(10).toMillis();
    ShardFacts[] other = {copy(1, 150, age), copy(1, 50, age)};
    assertThat(hotShards(copy(0, 300, age), copy(0, 300, age), other[0], other[1])).isEmpty();
    assertThat(hotShards(copy(0, 300, age), copy(0, 301, age), other[0], other[1])).hasSize(1);
  }

  @Test
  void sayNothingAboutShardsWithACopyOfUnknownAge() {
    ShardFacts hot = copy(0, 1000, 10_000);
    assertThat(hotShards(hot, copy(1, 1, 10_000))).hasSize(1);
    assertThat(hotShards(hot, copy(1, 1, 9_999))).as("young").isEmpty();
    assertThat(hotShards(hot, copy(1, 1, -1))).as("unknown").isEmpty();
    assertThat(hotShards(copy(0, 1000, -1), copy(1, 1, -1))).as("both unknown").isEmpty();
    ShardFacts unassigned = new ShardFacts("one", 1, false, false, "", 0, 0, -1);
    assertThat(hotShards(hot, copy(1, 1, 10_000), unassigned)).as("a lost copy").isEmpty();
  }

  private static ShardFacts copy(int shard, long queries, long openMillis) {
    return new ShardFacts("one", shard, true, true, "node-1", 1, queries, openMillis);
  }

  private static List<Finding> hotShards(ShardFacts... copies) {
    SnapshotFixture fixture = SnapshotFixture.healthy().index("one", 3, 0, 100, Map.of());
    fixture.shards.removeIf(shard -> shard.index().equals("one"));
    fixture.shards.addAll(List.of(copies));
    return fixture.run("hot-shard");
  }

  @Test
  void findHotTenantsWithoutBounds() {
    assertThat(tenants(600, TenantBounds.NONE).run("hot-tenant")).as("60 %").isEmpty();
    assertThat(tenants(601, TenantBounds.NONE).run("hot-tenant")).hasSize(1);
    assertThat(tenants(601, new TenantBounds(Set.of("big"), List.of())).run("hot-tenant"))
        .as("a weight")
        .isEmpty();
    assertThat(tenants(601, new TenantBounds(Set.of("*"), List.of())).run("hot-tenant"))
        .as("a weight of another tenant")
        .hasSize(1);
    for (String pattern : List.of("big", "b*", "*g", "b*i*g", "*", "**")) {
      assertThat(tenants(601, paced(pattern)).run("hot-tenant")).as(pattern).isEmpty();
    }
    for (String pattern : List.of("bi", "*b", "b.g", "big*r", "gold-*", "BIG")) {
      assertThat(tenants(601, paced(pattern)).run("hot-tenant")).as(pattern).hasSize(1);
    }
  }

  private static TenantBounds paced(String pattern) {
    return new TenantBounds(Set.of(), List.of(pattern));
  }

  private static SnapshotFixture tenants(long millis, TenantBounds bounds) {
    SnapshotFixture fixture = SnapshotFixture.healthy();
    Usage usage =
        new Usage(Map.of("big", new Count(900, millis), "small", new Count(100, 400)), 0, 0);
    fixture.traffic = new TrafficFacts(NONE, usage, List.of(), bounds);
    return fixture;
  }

  @Test
  void findNodesThatTheGatewayAvoids() {
    SnapshotFixture fixture = SnapshotFixture.healthy();
    fixture.traffic =
        new TrafficFacts(
            NONE,
            NONE,
            List.of(
                new NodeState("node-1", "slow", "8 ms beside 3 ms"),
                new NodeState("node-2", "busy", ""),
                new NodeState("node-3", "healthy", "")),
            TenantBounds.NONE);
    List<Finding> found = fixture.run("node-health");
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().figure()).startsWith("slow: 8 ms beside 3 ms");
  }
}
