package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNodes;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.fake.Answer;
import dev.weir.testkit.fake.Answers;
import dev.weir.testkit.fake.FakeIdentity;
import dev.weir.testkit.fake.FakeNode;
import dev.weir.testkit.fake.NodeScript;
import dev.weir.testkit.fake.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Seeds that are no nodes, or nodes that have lost their mind. */
class FakeSeedsIT {
  private static final String STATE = "cluster:monitor/state";
  private static final byte[] SOME = new byte[64];

  static List<String> kinds() {
    return List.copyOf(scripts("weir-shared").keySet());
  }

  private static Map<String, Script> scripts(String cluster) {
    return Map.of(
        "talks garbage", Script.always(Answers.garbage(7)),
        "never answers", Script.always(Answers.silence()),
        "closes within a frame", Script.always(Answers.closeMidFrame(SOME)),
        "claims a frame of 2 GB", Script.always(Answers.claimedLength(Integer.MAX_VALUE, SOME)),
        "claims a negative length", Script.always(Answers.claimedLength(-5, SOME)),
        "is of another cluster", new NodeScript(FakeIdentity.named("stranger")),
        "answers for the state with garbage", member(cluster, Answers.garbage(8)),
        "answers for the state with nonsense", member(cluster, Answers.reply(SOME)),
        "never tells the state", member(cluster, Answers.silence()),
        "closes within the state", member(cluster, Answers.closeMidFrame(SOME)));
  }

  private static Script script(String cluster, String kind) {
    return Objects.requireNonNull(scripts(cluster).get(kind));
  }

  private static Script member(String cluster, Answer state) {
    return new NodeScript(FakeIdentity.named("mad").inCluster(cluster)).on(STATE, state);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void doesNotMatterBesideGoodOnes(String kind) {
    DataNodes nodes = SharedCluster.get();
    List<String> seeds = new ArrayList<>();
    try (FakeNode fake = FakeNode.start(script(nodes.clusterName(), kind))) {
      seeds.add(fake.endpoint());
      seeds.addAll(nodes.seeds());
      try (TestBed bed = TestBed.before(seeds)) {
        Json found = Json.of(bed.rest().send("GET", "/_search?size=0").orThrow());
        assertThat(found.number("_shards.failed")).isZero();
        Leftovers.none(bed, nodes);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void isToldWhenThereIsNoOther(String kind) {
    try (FakeNode fake = FakeNode.start(script("fake", kind));
        TestBed bed = TestBed.unready(List.of(fake.endpoint()), "")) {
      Until.value("connections to the fake", fake::accepted, accepted -> accepted > 0);
      for (String path : List.of("/some/_search", "/some/_doc/1", "/_cluster/health")) {
        Json answer = Json.of(bed.rest().send("GET", path));
        assertThat(answer.status()).as("%s: %s", path, answer).isEqualTo(503);
        assertThat(answer.reasonOfError()).as(path).containsAnyOf(fake.endpoint(), "/readyz");
      }
      assertThat(bed.admin().send("GET", "/readyz").status()).isEqualTo(503);
      assertThat(bed.admin().send("GET", "/livez").status()).isEqualTo(200);
      bed.assertAtRest();
    }
  }
}
