package dev.weir.bluegreen.shadow;

import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import dev.weir.model.StreamingResponse;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request of the gateway itself, without a client. Handlers see an ordinary exchange, which runs
 * on a serial executor.
 */
public final class InternalExchange implements HttpExchange {
  private static final Logger LOG = LoggerFactory.getLogger(InternalExchange.class);

  /** The outcome of the request. The receiver owns the response and releases it once. */
  public sealed interface Outcome {
    /**
     * A response.
     *
     * @param incomplete whether parts are missing because of lost nodes
     */
    record Responded(BufferedResponse reply, boolean incomplete) implements Outcome {}

    /** A streamed response; {@link #release} consumes nothing of it. */
    record Streamed(StreamingResponse reply) implements Outcome {}

    /** The request should pass through to a node. */
    record PassedThrough(String reason) implements Outcome {}

    /** The request was cancelled, and its work has stopped. */
    record Cancelled() implements Outcome {}

    /** The handler failed. */
    record Failed(Throwable cause) implements Outcome {}

    /** Releases the response, which is not read afterwards. */
    default void release() {
      switch (this) {
        case Responded(BufferedResponse reply, _) -> reply.onReleased().run();
        case Streamed(StreamingResponse reply) -> {
          reply.body().onClosed(false);
          reply.onReleased().run();
        }
        case PassedThrough _, Cancelled _, Failed _ -> {
          // has no response
        }
      }
    }
  }

  private final RequestCopy request;
  private final Executor eventLoop;
  private final RequestMemory memory;
  private final long arrivedNanos;
  private final Consumer<Outcome> onOutcome;
  private final AtomicBoolean finished = new AtomicBoolean();
  private final List<Runnable> onDisconnect = new ArrayList<>(2);
  private boolean cancelled;
  private boolean nodesLost;

  /**
   * Creates an exchange that is not started.
   *
   * @param eventLoop runs tasks one at a time, in order
   * @param memory the account of the request's work; not of its body
   * @param onOutcome called once with the outcome, on {@code eventLoop}
   */
  public InternalExchange(
      RequestCopy request,
      Executor eventLoop,
      RequestMemory memory,
      long arrivedNanos,
      Consumer<Outcome> onOutcome) {
    this.request = request;
    this.eventLoop = eventLoop;
    this.memory = memory;
    this.arrivedNanos = arrivedNanos;
    this.onOutcome = onOutcome;
  }

  /** Starts the handler. Called once, on any thread. */
  public void start(RequestHandler handler) {
    runOnEventLoop(() -> {
      if (cancelled) {
        drop();
        return;
      }
      try {
        handler.handle(this);
      } catch (RuntimeException | StackOverflowError | AssertionError e) {
        finish(new Outcome.Failed(e));
      }
    });
  }

  /** Cancels the request unless it has finished. On any thread. */
  public void cancel() {
    runOnEventLoop(() -> {
      if (!cancelled && !finished.get()) {
        cancelled = true;
        List<Runnable> actions = List.copyOf(onDisconnect);
        onDisconnect.clear();
        actions.forEach(Runnable::run);
      }
    });
  }

  /** Runs a task on the exchange's executor. On any thread. */
  void runOnEventLoop(Runnable task) {
    try {
      eventLoop.execute(task);
    } catch (RejectedExecutionException stopped) {
      task.run(); // the executor has shut down and runs nothing else
    }
  }

  private void finish(Outcome outcome) {
    if (finished.compareAndSet(false, true)) {
      runOnEventLoop(() -> {
        onDisconnect.clear();
        onOutcome.accept(outcome);
      });
    } else {
      LOG.error("got a second end of {} {} (expected: one)", method(), uri());
      outcome.release();
    }
  }

  // HttpExchange.

  @Override
  public String method() {
    return request.method();
  }

  @Override
  public String uri() {
    return request.uri();
  }

  @Override
  public String protocolVersion() {
    return request.protocolVersion();
  }

  @Override
  public List<Map.Entry<String, String>> headers() {
    return request.headers();
  }

  @Override
  public ByteBuffer body() {
    return request.body().duplicate();
  }

  @Override
  public String tenant() {
    return request.client().tenant();
  }

  @Override
  public RequestPolicy policy() {
    return request.client().policy();
  }

  @Override
  public boolean isInternal() {
    return true;
  }

  @Override
  public long arrivedNanos() {
    return arrivedNanos;
  }

  @Override
  public RequestMemory memory() {
    return memory;
  }

  @Override
  public SocketAddress remoteAddress() {
    return request.client().remoteAddress();
  }

  @Override
  public SocketAddress localAddress() {
    return request.client().localAddress();
  }

  @Override
  public Executor eventLoop() {
    return eventLoop;
  }

  @Override
  public void onDisconnect(Runnable action) {
    if (cancelled) {
      action.run();
    } else if (!finished.get()) {
      onDisconnect.add(action);
    }
  }

  @Override
  public void assignTaskId(long id) {
    memory.assignTaskId(id);
  }

  @Override
  public void markIncomplete() {
    nodesLost = true;
  }

  @Override
  public void respond(BufferedResponse reply) {
    finish(new Outcome.Responded(reply, nodesLost));
  }

  @Override
  public void respond(StreamingResponse reply) {
    finish(new Outcome.Streamed(reply));
  }

  @Override
  public void passThrough(String reason) {
    finish(new Outcome.PassedThrough(reason));
  }

  @Override
  public void drop() {
    finish(new Outcome.Cancelled());
  }

  /** Does nothing: the body is a separate copy. */
  @Override
  public void retainBody() {}
}
