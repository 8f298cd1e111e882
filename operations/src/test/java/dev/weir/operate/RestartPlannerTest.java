package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.operate.ClusterLayout.Node;
import dev.weir.operate.ClusterLayout.Shard;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RestartPlannerTest {
  private static final Set<String> ROLES = Set.of("data", "cluster_manager");

  private static ClusterLayout layout(String manager, Set<String> voting, Shard... shards) {
    return layout(List.of("a1", "a2", "b1", "b2", "c1", "c2"), manager, voting, shards);
  }

  private static ClusterLayout layout(
      List<String> names, String manager, Set<String> voting, Shard... shards) {
    Map<String, Node> nodes = new TreeMap<>();
    Map<String, ClusterMembers.Member> members = new TreeMap<>();
    for (String name : names) {
      nodes.put(
          name,
          new Node(name, "id-" + name, "e", "host", ROLES, Map.of("zone", name.substring(0, 1))));
      members.put(name, new ClusterMembers.Member("id-" + name, "e"));
    }
    return new ClusterLayout(
        nodes,
        new ClusterMembers(members, manager, voting, false),
        List.of(shards),
        Map.of(),
        List.of());
  }

  private static Shard shard(String... holders) {
    return new Shard("index", "0", false, Set.of(holders), Set.of(holders));
  }

  private static final Set<String> THREE = Set.of("id-a1", "id-b1", "id-c1");

  @Test
  void restartTheManagerLast() {
    assertThat(RestartPlanner.oneByOne(layout("a2", THREE), List.of("a1", "a2", "b1")))
        .containsExactly(List.of("a1"), List.of("b1"), List.of("a2"));
  }

  @Test
  void restartZonesTogetherWhileEveryShardKeepsACopy() {
    ClusterLayout spread = layout("b1", THREE, shard("a1", "b1"), shard("a2", "c2"));
    assertThat(RestartPlanner.byZone(spread, spread.dataNodes(), "zone", 2))
        .containsExactly(List.of("a1", "a2"), List.of("c1", "c2"), List.of("b1", "b2"));
    ClusterLayout narrow = layout("b1", THREE, shard("a1", "a2"));
    assertThat(RestartPlanner.byZone(narrow, narrow.dataNodes(), "zone", 2))
        .containsExactly(List.of("a1"), List.of("a2"), List.of("c1", "c2"), List.of("b1", "b2"));
  }

  @Test
  void restartAllOfTheManagersZoneLast() {
    List<String> names = List.of("a2", "a3", "a1", "b1", "b2", "c1");
    ClusterLayout layout = layout(names, "a1", THREE);
    assertThat(RestartPlanner.byZone(layout, names, "zone", 2))
        .containsExactly(List.of("b1", "b2"), List.of("c1"), List.of("a2", "a3"), List.of("a1"));
    assertThat(RestartPlanner.byZone(layout, layout.dataNodes(), "zone", 2))
        .containsExactly(List.of("b1", "b2"), List.of("c1"), List.of("a3"), List.of("a1", "a2"));
  }

  @Test
  void keepTheCopiesThatWritesWaitFor() {
    ClusterLayout spread = layout("b1", THREE, shard("a1", "a2", "b1"));
    ClusterLayout waiting =
        new ClusterLayout(
            spread.nodes(), spread.members(), spread.shards(), Map.of("index", "2"), List.of());
    assertThat(RestartPlanner.byZone(waiting, waiting.dataNodes(), "zone", 2))
        .containsExactly(List.of("a1"), List.of("a2"), List.of("c1", "c2"), List.of("b1", "b2"));
  }

  @Test
  void keepABoundAndAMajority() {
    ClusterLayout spread = layout("b1", THREE, shard("a1", "b1"));
    assertThat(RestartPlanner.byZone(spread, spread.dataNodes(), "zone", 1)).hasSize(6);
    ClusterLayout voters = layout("b1", Set.of("id-a1", "id-a2", "id-b1"), shard("a1", "b1"));
    assertThat(RestartPlanner.byZone(voters, voters.dataNodes(), "zone", 2))
        .contains(List.of("a1"), List.of("a2"), List.of("c1", "c2"));
  }

  @Test
  void restartNodesWithoutAZoneOneByOne() {
    ClusterLayout layout = layout("b1", THREE);
    assertThat(RestartPlanner.byZone(layout, List.of("a1", "a2"), "rack", 2))
        .containsExactly(List.of("a1"), List.of("a2"));
  }

  @Test
  void takeSearchesAwayFromWholeZonesOnly() {
    ClusterLayout layout = layout("b1", THREE);
    assertThat(ZoneWeights.wholeZone(layout, Set.of("a1", "a2"), "zone")).isEqualTo("a");
    assertThat(ZoneWeights.wholeZone(layout, Set.of("a1"), "zone")).isEmpty();
    assertThat(ZoneWeights.wholeZone(layout, Set.of("a1", "a2", "b1"), "zone")).isEmpty();
    assertThat(ZoneWeights.wholeZone(layout, layout.dataNodes(), "zone")).isEmpty();
    assertThat(ZoneWeights.wholeZone(layout, Set.of("a1", "a2"), "rack")).isEmpty();
    assertThat(ZoneWeights.without(new ZoneRecord("zone", "a", Map.of()), layout, List.of()))
        .isEqualTo(Map.of("a", "0", "b", "1", "c", "1"));
    assertThat(
            ZoneWeights.without(
                new ZoneRecord("zone", "a", Map.of("a", "3.0", "b", "2.0")),
                layout,
                List.of("b", "d")))
        .isEqualTo(Map.of("a", "0", "b", "2.0", "c", "1", "d", "1"));
  }

  @Test
  void giveZonesWithoutDataNodesAWeightToo() {
    ClusterLayout layout = layout("b1", THREE);
    Map<String, ClusterLayout.Node> nodes = new HashMap<>(layout.nodes());
    nodes.put(
        "m1",
        new ClusterLayout.Node(
            "m1", "m", "e", "host", Set.of("cluster_manager"), Map.of("zone", "m")));
    ClusterLayout withManager =
        new ClusterLayout(nodes, layout.members(), layout.shards(), Map.of(), List.of());
    assertThat(ZoneWeights.wholeZone(withManager, Set.of("a1", "a2"), "zone")).isEqualTo("a");
    assertThat(ZoneWeights.without(new ZoneRecord("zone", "a", Map.of()), withManager, List.of()))
        .isEqualTo(Map.of("a", "0", "b", "1", "c", "1", "m", "1"));
  }

  @Test
  void findShardsWithoutAnotherStartedCopy() {
    ClusterLayout layout =
        layout(
            "a1",
            THREE,
            shard("a1"),
            shard("a1", "b1"),
            new Shard("index", "1", false, Set.of("a1", "b1"), Set.of("a1")),
            new Shard("elsewhere", "0", false, Set.of("c1"), Set.of("c1")));
    assertThat(layout.lostWithout(Set.of("a1"))).hasSize(2);
    assertThat(layout.lostWithout(Set.of("b1"))).isEmpty();
    assertThat(layout.indicesOn(Set.of("b1"))).containsExactly("index");
  }
}
