package dev.weir.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.advice.finding.Finding;
import dev.weir.advice.snapshot.ShardFacts;
import dev.weir.advice.snapshot.TenantBounds;
import dev.weir.advice.snapshot.TrafficFacts;
import dev.weir.advice.snapshot.TrafficFacts.Count;
import dev.weir.advice.snapshot.TrafficFacts.NodeState;
import dev.weir.advice.snapshot.TrafficFacts.Usage;
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
    assertThat(shards(499, 0).run("hot-shard")).as("few").isEmpty();
    assertThat(shards(600, 200).run("hot-shard")).as("three times as many").isEmpty();
    List<Finding> found = shards(601, 200).run("hot-shard");
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().subject()).isEqualTo("one[0]");
    assertThat(found.getFirst().figure()).startsWith("601 queries, beside 200 of each");
  }

  private static SnapshotFixture shards(long hot, long other) {
    SnapshotFixture fixture = SnapshotFixture.healthy().index("one", 3, 0, 100, Map.of());
    fixture.shards.removeIf(shard -> shard.index().equals("one"));
    for (int i = 0; i < 3; i++) {
      long queries = i == 0 ? hot : other;
      fixture.shards.add(new ShardFacts("one", i, true, true, "node-1", 1, queries));
    }
    return fixture;
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
