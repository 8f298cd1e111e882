package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.routing.NodeLoadRecorder.Failure;
import dev.weir.routing.NodeLoadRecorder.OutstandingRequest;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.InterleavingCheck;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

@Drawn(oneIn = 2)
public final class NodeLoadTrackerInterleavingTest {
  private static final String NODE = "n1";

  @Test
  void countEachOutstandingRequestOnce() {
    InterleavingCheck.assertLinearizable(OutstandingOperations.class);
  }

  @Test
  void publishOnlyWholeEstimates() {
    InterleavingCheck.assertInvariants(EstimateOperations.class);
  }

  private static NodeLoadTracker tracker() {
    return new NodeLoadTracker(RoutingPolicies.PLAIN, () -> 1_000_000, () -> 0L);
  }

  /** What threads do with the requests to one node, of which three are outstanding. */
  public static final class OutstandingOperations {
    private final NodeLoadTracker tracker = tracker();
    private final List<OutstandingRequest> requests =
        Stream.generate(() -> tracker.startRequest(NODE, Phase.QUERY)).limit(3).toList();

    public OutstandingOperations() {}

    @Operation
    public void start() {
      tracker.startRequest(NODE, Phase.QUERY);
    }

    @Operation
    public void respond(@Param(gen = IntGen.class, conf = "0:2") int request) {
      requests.get(request).onResponse(1, 1_000_000);
    }

    @Operation
    public void abandon(@Param(gen = IntGen.class, conf = "0:2") int request) {
      requests.get(request).onAbandon();
    }

    @Operation
    public void fail(@Param(gen = IntGen.class, conf = "0:2") int request) {
      requests.get(request).onFailure(Failure.ERROR);
    }

    @Operation
    public int outstanding() {
      return tracker.outstanding();
    }
  }

  /** What selectors read while responses arrive. */
  public static final class EstimateOperations {
    private final NodeLoadTracker tracker = tracker();
    private final List<OutstandingRequest> requests =
        Stream.generate(() -> tracker.startRequest(NODE, Phase.QUERY)).limit(3).toList();
    private final Queue<LoadEstimate> seen = new ConcurrentLinkedQueue<>();

    public EstimateOperations() {}

    @Operation
    public void respond(@Param(gen = IntGen.class, conf = "0:2") int request) {
      requests.get(request).onResponse(2, 1_000_000);
    }

    @Operation
    public void read() {
      seen.add(tracker.state(NODE, Phase.QUERY).loadEstimate());
    }

    @Validate
    public void seeOnlyWholeEstimates() {
      for (LoadEstimate estimate : seen) {
        boolean known = estimate.samples() > 0;
        require(known == estimate.serviceNanos() > 0, "got a torn estimate: " + estimate);
        require(known == estimate.repliedAtNanos() > 0, "got a torn estimate: " + estimate);
      }
      requests.forEach(request -> request.onResponse(2, 1_000_000));
      NodePhaseState state = tracker.state(NODE, Phase.QUERY);
      require(state.loadEstimate().samples() == 3, "got " + state.loadEstimate());
      require(state.outstanding() == 0, "got " + state.outstanding() + " outstanding requests");
      require(state.silenceNanos(1 << 30, 0) == 0, "the node counts as silent");
    }

    private static void require(boolean holds, String otherwise) {
      if (!holds) {
        throw new IllegalStateException(otherwise);
      }
    }
  }
}
