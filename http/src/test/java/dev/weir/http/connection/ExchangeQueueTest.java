package dev.weir.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ExchangeQueueTest {
  /** Far more than a stack has frames for. */
  private static final int MANY = 200_000;

  private final ExchangeQueue queue = new ExchangeQueue();
  private final List<Integer> started = new ArrayList<>();
  private final List<Integer> resumed = new ArrayList<>();
  private final List<Integer> disconnected = new ArrayList<>();

  /** Writes its response in one part, or in two. */
  private class FakeExchange implements ConnectionExchange {
    private final int number;
    private final boolean leavesAtOnce;
    private boolean isReady;

    FakeExchange(int number, boolean leavesAtOnce) {
      this.number = number;
      this.leavesAtOnce = leavesAtOnce;
    }

    void respond() {
      isReady = true;
      queue.onReady(this);
    }

    /** Does what a connection does when the last part of the response was written. */
    void leave() {
      queue.removeFirst();
      queue.startReady();
    }

    @Override
    public void startResponse() {
      started.add(number);
      if (leavesAtOnce) {
        leave();
      }
    }

    @Override
    public boolean hasResponse() {
      return isReady;
    }

    @Override
    public void resumeResponse() {
      resumed.add(number);
    }

    @Override
    public void onClientDisconnected() {
      disconnected.add(number);
      if (number == 1) {
        throw new IllegalStateException("got an exchange that fails at its end");
      }
    }

    @Override
    public void start(@Nullable ByteBuf whole) {}

    @Override
    public void closeAfterResponse() {}

    @Override
    public boolean isAwaitingAdmission() {
      return false;
    }

    @Override
    public void onBodyChunk(ByteBuf piece) {}

    @Override
    public void onBodyEnd() {}

    @Override
    public void onDecodingFailure(Throwable failure) {}

    @Override
    public void onBytesSent(int bytes) {}

    @Override
    public boolean shouldClose() {
      return false;
    }

    @Override
    public void operationComplete(ChannelFuture written) {}
  }

  private FakeExchange add(FakeExchange exchange) {
    queue.add(exchange);
    return exchange;
  }

  @Test
  void startManyResponsesWithoutAStackThatGrows() {
    FakeExchange slow = add(new FakeExchange(0, true));
    for (int i = 1; i < MANY; i++) {
      add(new FakeExchange(i, true)).respond();
    }
    assertThat(started).isEmpty();
    slow.respond();
    assertThat(started).hasSize(MANY).isSorted();
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.isStarting()).isFalse();
  }

  @Test
  void startAResponseOnce() {
    FakeExchange large = add(new FakeExchange(0, false));
    FakeExchange next = add(new FakeExchange(1, true));
    next.respond();
    large.respond();
    queue.startReady();
    assertThat(started).containsExactly(0);
    large.leave();
    assertThat(started).containsExactly(0, 1);
  }

  @Test
  void startAResponseThatBecomesReadyWhileAnotherOneLeaves() {
    FakeExchange first =
        new FakeExchange(0, false) {
          @Override
          public void startResponse() {
            super.startResponse();
            queue.removeFirst();
            add(new FakeExchange(1, false)).respond(); // there is room for one more request
            queue.startReady();
          }
        };
    add(first);
    first.respond();
    assertThat(started).containsExactly(0, 1);
  }

  @Test
  void resumeNoResponseBeforeItsStart() {
    FakeExchange exchange = add(new FakeExchange(0, false));
    exchange.isReady = true;
    queue.resumeFirst();
    assertThat(resumed).isEmpty();
    exchange.respond();
    queue.resumeFirst();
    assertThat(resumed).containsExactly(0);
  }

  @Test
  void startNothingAfterTheEnd() {
    FakeExchange last = add(new FakeExchange(0, false));
    FakeExchange late = add(new FakeExchange(1, true));
    last.respond();
    queue.removeFirst();
    queue.end();
    late.respond();
    queue.startReady();
    assertThat(started).containsExactly(0);
  }

  @Test
  void disconnectAllWhateverOneThrows() {
    for (int i = 0; i < 3; i++) {
      add(new FakeExchange(i, true));
    }
    queue.disconnectAll();
    assertThat(disconnected).containsExactly(0, 1, 2);
    assertThat(queue.isEmpty()).isTrue();
  }
}
