package dev.weir.node.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.tasks.Task;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportRequest;

/** Which responses are compressed. */
final class CompressionInterceptorTest implements TransportChannel {
  private static final String ACTION = "indices:data/read/get[s]";
  private static final Task TASK =
      new Task(1, "transport", ACTION, "", TaskId.EMPTY_TASK_ID, Map.of());

  private final ThreadContext context = new ThreadContext(Settings.EMPTY);
  private final CompressionInterceptor interceptor = new CompressionInterceptor(context);
  private final List<String> sent = new ArrayList<>();
  private String type = "transport";

  private static final class Zeros extends TransportResponse {
    private final int length;

    Zeros(int length) {
      this.length = length;
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      out.writeBytes(new byte[length]);
    }
  }

  private void respond(String action, int length) throws Exception {
    interceptor
        .interceptHandler(
            action,
            "same",
            false,
            (request, channel, task) -> channel.sendResponse(new Zeros(length)))
        .messageReceived(TransportRequest.Empty.INSTANCE, this, TASK);
  }

  @Test
  void compressWhatWasAskedForCompressed() throws Exception {
    respond(ACTION, 5000);
    interceptor.markRequest();
    interceptor.markRequest();
    respond(ACTION, 5000);
    respond(ACTION, 50);
    respond("internal:some/action", 5000);
    type = "direct";
    respond(ACTION, 5000);

    assertThat(sent)
        .containsExactly(
            "Zeros {}",
            "WrittenResponse {weir-zstd=[5000]}",
            "WrittenResponse {}",
            "Zeros {}",
            "Zeros {}");
    assertThat(interceptor.actions()).containsExactly(ACTION);
    assertThat(context.getResponseHeaders()).as("for a failure that follows").isEmpty();
  }

  /** The mark must not reach other nodes: they would get compressed responses. */
  @Test
  void keepTheMarkOnThisNode() {
    interceptor.markRequest();
    assertThat(context.getRequestHeadersOnly()).isEmpty();
  }

  @Test
  void passFailuresOn() throws Exception {
    interceptor.markRequest();
    interceptor
        .interceptHandler(
            ACTION,
            "same",
            false,
            (request, channel, task) -> channel.sendResponse(new IOException("broken")))
        .messageReceived(TransportRequest.Empty.INSTANCE, this, TASK);
    assertThat(sent).containsExactly("broken {}");
  }

  @Override
  public String getProfileName() {
    return "default";
  }

  @Override
  public String getChannelType() {
    return type;
  }

  @Override
  public void sendResponse(TransportResponse response) {
    sent.add(response.getClass().getSimpleName() + " " + context.getResponseHeaders());
  }

  @Override
  public void sendResponse(Exception failure) {
    sent.add(failure.getMessage() + " " + context.getResponseHeaders());
  }
}
