package dev.weir.gateway.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import dev.weir.model.RequestTrace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AsyncLogAppenderTest {
  private static final int CAPACITY = 16;

  private final LoggerContext context = new LoggerContext();
  private final HeldAppender target = new HeldAppender();

  /** Writes nothing until it is released. */
  static final class HeldAppender extends AppenderBase<ILoggingEvent> {
    final List<String> lines = new CopyOnWriteArrayList<>();
    final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    void release() {
      released.countDown();
    }

    @Override
    protected void append(ILoggingEvent event) {
      entered.countDown();
      while (released.getCount() > 0) {
        try {
          released.await();
        } catch (InterruptedException e) {
          // a write to standard output is not interrupted either
        }
      }
      lines.add(
          event.getThreadName()
              + ' '
              + event.getMDCPropertyMap().get(RequestTrace.LOG_FIELD)
              + ' '
              + event.getFormattedMessage());
    }
  }

  @AfterEach
  void release() {
    target.release();
    context.stop();
  }

  private AsyncLogAppender install(Duration flushTimeout) {
    context.setMDCAdapter(new LogbackMDCAdapter());
    target.setContext(context);
    target.start();
    AsyncLogAppender appender =
        new AsyncLogAppender(
            target, CAPACITY, flushTimeout, new LogRateLimitFilter(System::nanoTime));
    appender.setContext(context);
    appender.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    root.addAppender(appender);
    return appender;
  }

  @Test
  void writeQueuedLinesInOrderBeforeStopping() {
    AsyncLogAppender appender = install(Duration.ofSeconds(60));
    target.release();
    IntStream.range(0, CAPACITY / 2).forEach(i -> context.getLogger("a").info("line {}", i));
    appender.stop();

    String thread = Thread.currentThread().getName();
    assertThat(target.lines)
        .containsExactlyElementsOf(
            IntStream.range(0, CAPACITY / 2).mapToObj(i -> thread + " null line " + i).toList());
    assertThat(target.isStarted()).isFalse();
    assertThat(appender.droppedGatewayLines()).isZero();
  }

  @Test
  void keepTheTraceIdOfTheLoggingThread() {
    AsyncLogAppender appender = install(Duration.ofSeconds(60));
    context.getMDCAdapter().put(RequestTrace.LOG_FIELD, "4bf9");
    try {
      context.getLogger("a").info("traced");
    } finally {
      context.getMDCAdapter().remove(RequestTrace.LOG_FIELD);
    }
    context.getLogger("a").info("untraced");
    target.release();
    appender.stop();

    assertThat(target.lines).hasSize(2);
    assertThat(target.lines.getFirst()).endsWith(" 4bf9 traced");
    assertThat(target.lines.getLast()).endsWith(" null untraced");
  }

  @Test
  void dropAndCountLinesThatFindTheQueueFull() throws InterruptedException {
    AsyncLogAppender appender = install(Duration.ofSeconds(60));
    context.getLogger("a").info("written");
    assertThat(target.entered.await(60, TimeUnit.SECONDS)).isTrue(); // that line has left the queue
    int room = CAPACITY - CAPACITY / 8;
    IntStream.range(0, room + 5).forEach(i -> context.getLogger("weir.access").info("access"));
    IntStream.range(0, 3).forEach(i -> context.getLogger("a").info("info"));
    IntStream.range(0, CAPACITY / 8 + 1).forEach(i -> context.getLogger("a").warn("warning"));

    assertThat(appender.queuedLines()).isEqualTo(CAPACITY);
    assertThat(appender.droppedAccessLines()).isEqualTo(5);
    assertThat(appender.droppedGatewayLines()).isEqualTo(3 + 1);
    target.release();
    appender.stop();
    assertThat(target.lines).hasSize(1 + CAPACITY);
    assertThat(target.lines.getLast()).endsWith("warning");
  }

  @Test
  void takeAuditLinesWhileOthersAreDropped() throws InterruptedException {
    AsyncLogAppender appender = install(Duration.ofSeconds(60));
    context.getLogger("a").info("written");
    assertThat(target.entered.await(60, TimeUnit.SECONDS)).isTrue(); // that line has left the queue
    IntStream.range(0, CAPACITY).forEach(i -> context.getLogger("weir.access").info("access"));
    context.getLogger("weir.audit").info("POST /drain");

    assertThat(appender.droppedAccessLines()).isEqualTo(CAPACITY / 8);
    assertThat(appender.droppedGatewayLines()).isZero();
    target.release();
    appender.stop();
    assertThat(target.lines.getLast()).endsWith("POST /drain");
  }

  @Test
  void stopWithinTheFlushTimeoutWhenTheTargetHangs() throws InterruptedException {
    AsyncLogAppender appender = install(Duration.ofMillis(20));
    context.getLogger("a").info("held");
    assertThat(target.entered.await(60, TimeUnit.SECONDS)).isTrue();
    appender.stop();

    assertThat(target.lines).isEmpty();
    assertThat(target.isStarted()).isTrue(); // stopping it could wait for the write that hangs
  }
}
