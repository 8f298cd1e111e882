package dev.weir.node.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.tasks.Task;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportRequestHandler;

/** Which responses are compressed. */
final class CompressionInterceptorTest implements TransportChannel {
  private static final String ACTION = "indices:data/read/get[s]";
  private static final Task TASK =
      new Task(1, "transport", ACTION, "", TaskId.EMPTY_TASK_ID, Map.of());

  private final ThreadContext context = new ThreadContext(Settings.EMPTY);
  private final CompressionInterceptor interceptor = new CompressionInterceptor(context);
  private final List<String> sent = new ArrayList<>();
  private final CircuitBreaker breaker = CompressedPayloadsTest.breaker("1gb");
  private final DecompressedBytes added = new DecompressedBytes(breaker, 700);
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
    interceptor.markRequest(added);
    interceptor.markRequest(added);
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
    interceptor.markRequest(added);
    assertThat(context.getRequestHeadersOnly()).isEmpty();
  }

  @Test
  void passFailuresOn() throws Exception {
    interceptor.markRequest(added);
    interceptor
        .interceptHandler(
            ACTION,
            "same",
            false,
            (request, channel, task) -> channel.sendResponse(new IOException("broken")))
        .messageReceived(TransportRequest.Empty.INSTANCE, this, TASK);
    assertThat(sent).containsExactly("broken {}");
  }

  private void handle(TransportRequestHandler<TransportRequest.Empty> handler) throws Exception {
    interceptor
        .interceptHandler(ACTION, "same", false, handler)
        .messageReceived(TransportRequest.Empty.INSTANCE, this, TASK);
  }

  @Test
  void countARequestUntilItsResponse() throws Exception {
    interceptor.markRequest(added);
    handle((request, channel, task) -> {
      assertThat(breaker.getUsed()).isEqualTo(700);
      channel.sendResponse(new Zeros(50));
      assertThat(breaker.getUsed()).isZero();
    });
    handle((request, channel, task) -> {
      assertThat(breaker.getUsed()).isEqualTo(700);
      channel.sendResponse(new IOException("broken"));
      assertThat(breaker.getUsed()).isZero();
      channel.sendResponse(new IOException("again"));
    });
    assertThat(breaker.getUsed()).isZero();
  }

  @Test
  void countNoRequestWhoseHandlerOrResponseFails() {
    interceptor.markRequest(added);
    assertThatThrownBy(() ->
            handle((request, channel, task) -> {
              throw new IOException("refused");
            }))
        .hasMessage("refused");
    assertThat(breaker.getUsed()).isZero();
    assertThatThrownBy(() -> handle((request, channel, task) -> channel.sendResponse(new Broken())))
        .hasMessage("unwritable");
    assertThat(breaker.getUsed()).isZero();
  }

  private static final class Broken extends TransportResponse {
    @Override
    public void writeTo(StreamOutput out) throws IOException {
      throw new IOException("unwritable");
    }
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
