package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
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
  void refusesNoThreads() {
    assertThatThrownBy(() -> EventLoops.start(0))
        .hasMessage("got 0 event loops (expected: at least 1)");
  }
}
