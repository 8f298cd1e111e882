package dev.weir.gateway.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues log lines and writes them on a thread of its own, so that no event loop waits for a slow
 * standard output. A line that finds the queue full is dropped and counted; the last eighth of the
 * queue takes only warnings, errors and lines of the audit log. Each line keeps the MDC, and so the
 * trace id, of the thread that logged it. The thread also writes the summaries of a {@link
 * LogRateLimitFilter}. {@link #append} is safe on any thread and never blocks.
 */
final class AsyncLogAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
  /** Lines: a few MB of heap when lines are of the usual length. */
  static final int DEFAULT_CAPACITY = 8192;

  /** After this time {@link #stop} leaves the rest of the queue unwritten. */
  static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(5);

  private static final String NAME = "async";
  private static final Duration SUMMARY_INTERVAL = Duration.ofSeconds(1);
  private static final String ACCESS_LOGGER = "weir.access";
  static final String AUDIT_LOGGER = "weir.audit";
  private static final int URGENT_FRACTION = 8;

  private final Appender<ILoggingEvent> target;
  private final Duration flushTimeout;
  private final LogRateLimitFilter rateLimit;
  private final BlockingQueue<ILoggingEvent> queue;
  private final int reservedForUrgent;
  private final LongAdder droppedAccessLines = new LongAdder();
  private final LongAdder droppedGatewayLines = new LongAdder();
  private final Thread worker = new Thread(this::run, "weir-log");
  private long summarizedNanos = System.nanoTime(); // of the worker
  private volatile boolean stopping;

  /**
   * Queues for an appender that is started, and that this one stops.
   *
   * @param capacity lines
   * @param rateLimit counts the lines that it leaves out
   */
  AsyncLogAppender(
      Appender<ILoggingEvent> target,
      int capacity,
      Duration flushTimeout,
      LogRateLimitFilter rateLimit) {
    this.target = target;
    this.rateLimit = rateLimit;
    this.flushTimeout = flushTimeout;
    this.queue = new LinkedBlockingQueue<>(capacity);
    this.reservedForUrgent = capacity / URGENT_FRACTION;
    worker.setDaemon(true);
    setName(NAME);
  }

  /** The one that the root logger writes to; null where logging is set up without one. */
  static @Nullable AsyncLogAppender installed() {
    return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
            && context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(NAME)
                instanceof AsyncLogAppender appender
        ? appender
        : null;
  }

  @Override
  public void start() {
    super.start();
    worker.start();
  }

  @Override
  protected void append(ILoggingEvent event) {
    boolean urgent =
        event.getLevel().isGreaterOrEqual(Level.WARN) || event.getLoggerName().equals(AUDIT_LOGGER);
    if (!urgent && queue.remainingCapacity() <= reservedForUrgent) {
      countDropped(event);
      return;
    }
    event.prepareForDeferredProcessing(); // copies the MDC and formats the message on this thread
    if (!queue.offer(event)) {
      countDropped(event);
    }
  }

  private void countDropped(ILoggingEvent event) {
    boolean access = event.getLoggerName().equals(ACCESS_LOGGER);
    (access ? droppedAccessLines : droppedGatewayLines).increment();
  }

  private void run() {
    ILoggingEvent event;
    while ((event = awaitNext()) != null) {
      write(event);
    }
    rateLimit.summarize(true, this::write);
  }

  private void write(ILoggingEvent event) {
    try {
      target.doAppend(event);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      addError("a log line could not be written", e); // the next line may succeed
    }
  }

  /** The next line; null when the appender is stopping and every line is written. */
  private @Nullable ILoggingEvent awaitNext() {
    while (!stopping) {
      summarizeIfDue();
      try {
        ILoggingEvent next = queue.poll(SUMMARY_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        if (next != null) {
          return next;
        }
      } catch (InterruptedException e) {
        // stop() interrupts this wait: the condition above says whether it did
      }
    }
    return queue.poll();
  }

  private void summarizeIfDue() {
    long now = System.nanoTime();
    if (now - summarizedNanos >= SUMMARY_INTERVAL.toNanos()) {
      summarizedNanos = now;
      rateLimit.summarize(false, this::write);
    }
  }

  /** Takes no more lines and waits until the queued ones are written, up to the flush timeout. */
  @Override
  public void stop() {
    if (!isStarted()) {
      return;
    }
    super.stop();
    stopping = true;
    worker.interrupt();
    try {
      worker.join(flushTimeout);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!worker.isAlive()) {
      target.stop(); // it would wait for a write that hangs
    }
  }

  /** Lines that wait to be written. */
  int queuedLines() {
    return queue.size();
  }

  /** Lines of the access log that were dropped because the queue was full. */
  long droppedAccessLines() {
    return droppedAccessLines.sum();
  }

  /** Lines left out because their place in the code logged too many. */
  long suppressedLines() {
    return rateLimit.suppressedLines();
  }

  /** All other lines that were dropped because the queue was full. */
  long droppedGatewayLines() {
    return droppedGatewayLines.sum();
  }
}
