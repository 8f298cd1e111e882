package dev.weir.protocol.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.opensearch.action.get.GetRequest;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.tasks.TaskId;

class ControlCallFactoryTest {
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
  void bansTheChildrenOfATask() throws IOException {
    NodeCall<?> call = TaskBanCalls.ban(PARENT, "client went away", TIMEOUT);

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
    GetRequest request = PARENT.setAsParentOf(new GetRequest("index", "id"));

    assertThat(request.getParentTask()).isEqualTo(new TaskId("weir-1", 42));
  }
}
