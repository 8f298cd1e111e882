package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.fake.FakeIdentity;
import dev.weir.testkit.fake.FakeNode;
import dev.weir.testkit.fake.FakeReplies;
import dev.weir.testkit.fake.FakeReply;
import dev.weir.testkit.fake.HandshakingNodeScript;
import dev.weir.testkit.fake.ReplyScript;
import dev.weir.testkit.junit.Drawn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Seeds that are no OpenSearch nodes, and nodes with wrong state. */
@Drawn(oneIn = 3)
class FakeSeedsIT {
  private static final String STATE = "cluster:monitor/state";
  private static final byte[] SOME = new byte[64];

  static List<String> kinds() {
    return List.copyOf(scripts("weir-shared").keySet());
  }

  private static Map<String, ReplyScript> scripts(String cluster) {
    return Map.of(
        "talks garbage", ReplyScript.always(FakeReplies.garbage(7)),
        "never answers", ReplyScript.always(FakeReplies.silence()),
        "closes within a frame", ReplyScript.always(FakeReplies.closeMidFrame(SOME)),
        "claims a frame of 2 GB",
            ReplyScript.always(FakeReplies.claimedLength(Integer.MAX_VALUE, SOME)),
        "claims a negative length", ReplyScript.always(FakeReplies.claimedLength(-5, SOME)),
        "is of another cluster", new HandshakingNodeScript(FakeIdentity.named("stranger")),
        "answers for the state with garbage", member(cluster, FakeReplies.garbage(8)),
        "answers for the state with nonsense", member(cluster, FakeReplies.reply(SOME)),
        "never tells the state", member(cluster, FakeReplies.silence()),
        "closes within the state", member(cluster, FakeReplies.closeMidFrame(SOME)));
  }

  private static ReplyScript script(String cluster, String kind) {
    return Objects.requireNonNull(scripts(cluster).get(kind));
  }

  private static ReplyScript member(String cluster, FakeReply state) {
    return new HandshakingNodeScript(FakeIdentity.named("mad").inCluster(cluster)).on(STATE, state);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void doesNotMatterBesideGoodOnes(String kind) {
    DataNodeCluster nodes = SharedCluster.get();
    List<String> seeds = new ArrayList<>();
    try (FakeNode fake = FakeNode.start(script(nodes.clusterName(), kind))) {
      seeds.add(fake.endpoint());
      seeds.addAll(nodes.seeds());
      try (TestBed bed = TestBed.inFrontOf(seeds)) {
        JsonResponse found = JsonResponse.of(bed.rest().send("GET", "/_search?size=0").orThrow());
        assertThat(found.number("_shards.failed")).isZero();
        LeakChecks.assertNone(bed, nodes);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void reportAForeignSeedWithoutAlternatives(String kind) {
    try (FakeNode fake = FakeNode.start(script("fake", kind));
        TestBed bed = TestBed.startWithoutWaiting(List.of(fake.endpoint()), "")) {
      Await.untilValue(
          "connections to the fake", fake::acceptedConnections, accepted -> accepted > 0);
      for (String path : List.of("/some/_search", "/some/_doc/1", "/_cluster/health")) {
        JsonResponse answer = JsonResponse.of(bed.rest().send("GET", path));
        assertThat(answer.status()).as("%s: %s", path, answer).isEqualTo(503);
        assertThat(answer.reasonOfError()).as(path).containsAnyOf(fake.endpoint(), "/readyz");
      }
      assertThat(bed.admin().send("GET", "/readyz").status()).isEqualTo(503);
      assertThat(bed.admin().send("GET", "/livez").status()).isEqualTo(200);
      bed.assertNothingHeld();
    }
  }
}
