package dev.weir.bluegreen.shadow;

import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import dev.weir.model.StreamedReply;
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
 * A request that no client waits for: the gateway made it, and takes its answer. To a handler it is
 * an exchange like any other, which lives on an executor that runs one task at a time.
 */
public final class InnerExchange implements HttpExchange {
  private static final Logger LOG = LoggerFactory.getLogger(InnerExchange.class);

  /** How it ended. Whoever hears of it has the answer, and releases it once. */
  public sealed interface Outcome {
    /**
     * With an answer.
     *
     * @param lostNodes whether it lacks something because nodes are gone
     */
    record Replied(HttpReply reply, boolean lostNodes) implements Outcome {}

    /** With an answer that is made while it is taken; {@link #discard} takes nothing of it. */
    record Streamed(StreamedReply reply) implements Outcome {}

    /** A node should have had it. */
    record PassedThrough(String reason) implements Outcome {}

    /** It was cancelled, and the work for it has stopped. */
    record Dropped() implements Outcome {}

    /** The handler failed. */
    record Failed(Throwable defect) implements Outcome {}

    /** Releases the answer, of which nothing is read any more. */
    default void discard() {
      switch (this) {
        case Replied(HttpReply reply, _) -> reply.onReleased().run();
        case Streamed(StreamedReply reply) -> {
          reply.body().over(false);
          reply.onReleased().run();
        }
        case PassedThrough _, Dropped _, Failed _ -> {
          // has none
        }
      }
    }
  }

  private final KeptRequest request;
  private final Executor home;
  private final RequestMemory memory;
  private final long arrivedNanos;
  private final Consumer<Outcome> whenOver;
  private final AtomicBoolean over = new AtomicBoolean();
  private final List<Runnable> onDisconnect = new ArrayList<>(2);
  private boolean cancelled;
  private boolean lost;

  /**
   * Makes one that has not begun.
   *
   * @param home runs tasks one at a time, in order
   * @param memory pays for what is made of the request; not for its body
   * @param whenOver hears once how it ended, on its home
   */
  public InnerExchange(
      KeptRequest request,
      Executor home,
      RequestMemory memory,
      long arrivedNanos,
      Consumer<Outcome> whenOver) {
    this.request = request;
    this.home = home;
    this.memory = memory;
    this.arrivedNanos = arrivedNanos;
    this.whenOver = whenOver;
  }

  /** Has it handled. Called once, on any thread. */
  public void begin(RequestHandler handler) {
    onHome(() -> {
      if (cancelled) {
        drop();
        return;
      }
      try {
        handler.handle(this);
      } catch (RuntimeException | StackOverflowError | AssertionError e) {
        end(new Outcome.Failed(e));
      }
    });
  }

  /** Stops the work for it, unless it is over. On any thread. */
  public void cancel() {
    onHome(() -> {
      if (!cancelled && !over.get()) {
        cancelled = true;
        List<Runnable> actions = List.copyOf(onDisconnect);
        onDisconnect.clear();
        actions.forEach(Runnable::run);
      }
    });
  }

  /** Runs a task where it lives. On any thread. */
  void onHome(Runnable task) {
    try {
      home.execute(task);
    } catch (RejectedExecutionException stopped) {
      task.run(); // nothing else runs there any more
    }
  }

  private void end(Outcome outcome) {
    if (over.compareAndSet(false, true)) {
      onHome(() -> {
        onDisconnect.clear();
        whenOver.accept(outcome);
      });
    } else {
      LOG.error("got a second end of {} {} (expected: one)", method(), uri());
      outcome.discard();
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
    return request.from().tenant();
  }

  @Override
  public RequestPolicy policy() {
    return request.from().policy();
  }

  @Override
  public boolean inner() {
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
    return request.from().remote();
  }

  @Override
  public SocketAddress localAddress() {
    return request.from().local();
  }

  @Override
  public Executor home() {
    return home;
  }

  @Override
  public void onDisconnect(Runnable action) {
    if (cancelled) {
      action.run();
    } else if (!over.get()) {
      onDisconnect.add(action);
    }
  }

  @Override
  public void numbered(long id) {
    memory.numbered(id);
  }

  @Override
  public void lostNodes() {
    lost = true;
  }

  @Override
  public void respond(HttpReply reply) {
    end(new Outcome.Replied(reply, lost));
  }

  @Override
  public void respond(StreamedReply reply) {
    end(new Outcome.Streamed(reply));
  }

  @Override
  public void passThrough(String reason) {
    end(new Outcome.PassedThrough(reason));
  }

  @Override
  public void drop() {
    end(new Outcome.Dropped());
  }

  /** Does nothing: the body is a copy of its own. */
  @Override
  public void keepBody() {}
}
