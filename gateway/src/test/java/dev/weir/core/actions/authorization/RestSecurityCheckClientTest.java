package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.actions.authorization.SecurityCheckClient.CheckResponse;
import dev.weir.gateway.authorization.RestSecurityCheckClient;
import dev.weir.model.NodeResponseListener;
import dev.weir.testkit.fixtures.TestExchange;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Questions to a node that a test answers. */
class RestSecurityCheckClientTest {
  private final EventLoop loop = new DefaultEventLoop();
  private final List<NodeResponseListener> asked = new ArrayList<>();
  private final List<String> aborted = new ArrayList<>();
  private final SecurityCheckRequest question =
      new SecurityCheckRequest(
          "GET",
          "/who",
          Objects.requireNonNull(
              new CredentialReader(Set.of()).read(TestExchange.of("GET", "/logs/_search"))),
          "",
          loop);
  private final RestSecurityCheckClient questions =
      new RestSecurityCheckClient((owner, request, listener) -> {
        asked.add(listener);
        return () -> aborted.add(request.uri());
      });

  @AfterEach
  void stop() {
    loop.shutdownGracefully();
  }

  /** Asks, and waits until the question is sent. */
  private CompletableFuture<CheckResponse> ask() {
    CompletableFuture<CheckResponse> answer = questions.ask(question);
    onLoop(() -> {});
    return answer;
  }

  private void onLoop(Runnable task) {
    loop.submit(task).syncUninterruptibly();
  }

  @Test
  void readAnAnswer() {
    CompletableFuture<CheckResponse> answer = ask();
    onLoop(() -> {
      asked.getFirst().onHead(200, "application/json", "");
      asked.getFirst().onContent(ByteBuffer.wrap("{}".getBytes(StandardCharsets.UTF_8)));
      asked.getFirst().onComplete();
    });
    assertThat(answer).isCompletedWithValue(new CheckResponse(200, "{}"));
    onLoop(() -> {});
    assertThat(aborted).isEmpty();
  }

  /** It would keep a connection to the node for up to an hour. */
  @Test
  void endTheRequestOfACancelledQuestion() {
    ask().cancel(true);
    onLoop(() -> {});
    assertThat(aborted).containsExactly("/who");
  }

  @Test
  void endNoRequestThatHasFailedByItself() {
    CompletableFuture<CheckResponse> answer = ask();
    onLoop(() -> asked.getFirst().onFailure(503));
    onLoop(() -> {});
    assertThat(answer).isCompletedExceptionally();
    assertThat(aborted).isEmpty();
  }
}
