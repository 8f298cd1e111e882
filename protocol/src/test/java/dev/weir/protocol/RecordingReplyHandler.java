package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Records the single outcome of a call; fails on a second one. */
final class RecordingReplyHandler<R> implements ReplyHandler<R> {
  private final CompletableFuture<RecordingReplyHandler<R>> told = new CompletableFuture<>();
  private final boolean keepsFrame;
  private final @Nullable FrameBudget budget;
  private @Nullable R reply;
  private @Nullable ReplyFrame frame;
  private @Nullable NodeCallException failure;
  private Map<String, Set<String>> headers = Map.of();
  private @Nullable NodeLoadReport loadReport;
  private Thread thread = Thread.currentThread();

  RecordingReplyHandler() {
    this(false, null);
  }

  RecordingReplyHandler(boolean keepsFrame, @Nullable FrameBudget budget) {
    this.keepsFrame = keepsFrame;
    this.budget = budget;
  }

  @Override
  public void onReply(R value, ReplyFrame read) {
    reply = value;
    headers = read.responseHeaders();
    loadReport = read.loadReport();
    if (keepsFrame) {
      read.retain();
      frame = read;
    }
    over();
  }

  @Override
  public void onFailure(NodeCallException why) {
    failure = why;
    over();
  }

  private void over() {
    thread = Thread.currentThread();
    assertThat(told.complete(this)).as("told once").isTrue();
  }

  @Override
  public @Nullable FrameBudget budget() {
    return budget;
  }

  boolean isTold() {
    return told.isDone();
  }

  /** Waits for the outcome. */
  RecordingReplyHandler<R> await() {
    try {
      return told.get(20, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("got no outcome (expected: one within 20 s)", e);
    }
  }

  R reply() {
    await();
    if (failure != null) {
      throw new AssertionError("got a failure (expected: a reply)", failure.exception());
    }
    return Objects.requireNonNull(reply);
  }

  NodeCallException failure() {
    await();
    assertThat(failure).as("failure, not " + reply).isNotNull();
    return Objects.requireNonNull(failure);
  }

  ReplyFrame frame() {
    await();
    return Objects.requireNonNull(frame);
  }

  Map<String, Set<String>> headers() {
    await();
    return headers;
  }

  @Nullable NodeLoadReport loadReport() {
    await();
    return loadReport;
  }

  Thread thread() {
    await();
    return thread;
  }
}
