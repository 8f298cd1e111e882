package dev.weir.protocol.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.opensearch.action.admin.cluster.node.info.NodesInfoRequest;
import org.opensearch.action.admin.cluster.node.tasks.cancel.CancelTasksRequest;
import org.opensearch.action.admin.cluster.state.ClusterStateRequest;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.support.clustermanager.term.GetTermVersionRequest;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.tasks.TaskId;

class ClusterCallsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(7);
  private static final ParentTask PARENT = new ParentTask("weir-1", 42);

  private static StreamInput sent(NodeCall<?> call) throws IOException {
    assertThat(call.kind()).isEqualTo(ChannelKind.CONTROL);
    assertThat(call.timeout()).isEqualTo(TIMEOUT);
    assertThat(call.headers()).isEmpty();
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      call.payload().writeTo(out);
      return out.bytes().streamInput();
    }
  }

  @Test
  void asksForTheLocalState() throws IOException {
    NodeCall<?> call = ClusterCalls.localState(TIMEOUT);

    assertThat(call.action()).isEqualTo("cluster:monitor/state");
    ClusterStateRequest request = new ClusterStateRequest(sent(call));
    assertThat(request.local()).isTrue();
    assertThat(request.metadata()).isTrue();
    assertThat(request.routingTable()).isTrue();
  }

  @Test
  void asksForTheTerm() throws IOException {
    NodeCall<?> call = ClusterCalls.termVersion(TIMEOUT);

    assertThat(call.action()).isEqualTo("internal:monitor/term");
    StreamInput in = sent(call);
    assertThat(new GetTermVersionRequest(in).getParentTask()).isEqualTo(TaskId.EMPTY_TASK_ID);
    assertThat(in.available()).isZero();
  }

  @Test
  void asksForRestAddressesOnly() throws IOException {
    NodeCall<?> call = ClusterCalls.nodesHttp(TIMEOUT);

    assertThat(call.action()).isEqualTo("cluster:monitor/nodes/info");
    assertThat(new NodesInfoRequest(sent(call)).requestedMetrics()).containsExactly("http");
  }

  @Test
  void cancelsTheChildrenOfATask() throws IOException {
    NodeCall<?> call = TaskCalls.cancel(PARENT, "client went away", TIMEOUT);

    assertThat(call.action()).isEqualTo("cluster:admin/tasks/cancel");
    CancelTasksRequest request = new CancelTasksRequest(sent(call));
    assertThat(request.getParentTaskId()).isEqualTo(new TaskId("weir-1", 42));
    assertThat(request.getReason()).isEqualTo("client went away");
  }

  @Test
  void bansTheChildrenOfATask() throws IOException {
    NodeCall<?> call = TaskCalls.ban(PARENT, "client went away", TIMEOUT);

    assertThat(call.action()).isEqualTo("internal:admin/tasks/ban");
    StreamInput in = sent(call);
    assertThat(TaskId.readFromStream(in)).isEqualTo(TaskId.EMPTY_TASK_ID);
    assertThat(TaskId.readFromStream(in)).isEqualTo(new TaskId("weir-1", 42));
    assertThat(in.readBoolean()).isTrue();
    assertThat(in.readString()).isEqualTo("client went away");
    assertThat(in.readBoolean()).isFalse();
    assertThat(in.available()).isZero();
  }

  @Test
  void ownsARequest() {
    GetRequest request = PARENT.own(new GetRequest("index", "id"));

    assertThat(request.getParentTask()).isEqualTo(new TaskId("weir-1", 42));
  }
}
