package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
  @Test
  void knowsItsLoopsByTheirIdentity() {
    try (EventLoops loops = EventLoops.start(3);
        EventLoops others = EventLoops.start(1)) {
      assertThat(loops.size()).isEqualTo(3);
      for (int i = 0; i < 3; i++) {
        assertThat(loops.indexOf(loops.loop(i))).isEqualTo(i);
      }
      assertThat(loops.indexOf(others.loop(0))).isEqualTo(-1);
      assertThat(loops.indexOf(Runnable::run)).isEqualTo(-1);
      assertThat(loops.io()).isNotEqualTo(EventLoops.IoTransport.AUTO);
    }
  }

  @Test
  void useTheJdksPollerWhenConfigured() {
    try (EventLoops loops =
        EventLoops.start(1, EventLoops.IoTransport.NIO, UnpooledByteBufAllocator.DEFAULT)) {
      assertThat(loops.io()).isEqualTo(EventLoops.IoTransport.NIO);
      assertThat(loops.socketChannel().getSimpleName()).isEqualTo("NioSocketChannel");
      assertThat(loops.serverSocketChannel().getSimpleName()).isEqualTo("NioServerSocketChannel");
      assertThat(loops.allocator()).isSameAs(UnpooledByteBufAllocator.DEFAULT);
    }
  }

  @Test
  void useAsFewLoopsAsCarryTheLoad() throws Exception {
    try (EventLoops loops =
        EventLoops.start(2, EventLoops.IoTransport.AUTO, UnpooledByteBufAllocator.DEFAULT, 2)) {
      assertThat(loops.loopsInUse()).isOne();
      for (int i = 0; i < 10; i++) {
        assertThat(loops.group().next()).isSameAs(loops.loop(0));
      }
      AtomicBoolean stopped = new AtomicBoolean();
      loops.loop(0).execute(() -> computeUntil(stopped, loops.loop(0)));
      awaitLoopsInUse(loops, 2);
      stopped.set(true);
      awaitLoopsInUse(loops, 1);
    }
  }

  /** Computes in short tasks, between which the loop serves others. */
  private static void computeUntil(AtomicBoolean stopped, EventLoop loop) {
    long end = System.nanoTime() + 5_000_000;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    if (!stopped.get()) {
      loop.execute(() -> computeUntil(stopped, loop));
    }
  }

  private static void awaitLoopsInUse(EventLoops loops, int expected) throws Exception {
    for (int i = 0; i < 600 && loops.loopsInUse() != expected; i++) {
      Thread.sleep(50);
    }
    assertThat(loops.loopsInUse()).isEqualTo(expected);
  }

  @Test
  void refusesNoThreads() {
    assertThatThrownBy(() -> EventLoops.start(0))
        .hasMessage("got 0 event loops (expected: at least 1)");
  }
}
