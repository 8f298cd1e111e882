package dev.weir.http;

import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A gate that does with each request what the test says, and remembers what it heard. */
final class ScriptedGate implements HeadGate {
  /** One visit; its verdicts in order, the last one for ever. */
  final class Seen implements Visit {
    final String uri;
    final long announced;
    final boolean passedThrough;
    final List<Verdict> script;
    final String tenant;
    final AtomicInteger asked = new AtomicInteger();
    final AtomicLong received = new AtomicLong();
    volatile boolean over;

    private Seen(RequestHead head, RequestRouter.Way way, List<Verdict> script, String tenant) {
      this.uri = head.uri();
      this.announced = head.bodyBytes();
      this.passedThrough = way instanceof RequestRouter.PassThrough;
      this.script = script;
      this.tenant = tenant;
    }

    @Override
    public String tenant() {
      return tenant;
    }

    @Override
    public Verdict ask() {
      Verdict verdict = script.get(Math.min(asked.getAndIncrement(), script.size() - 1));
      asking.add(this);
      return verdict;
    }

    @Override
    public void received(int bytes) {
      received.addAndGet(bytes);
    }

    @Override
    public void over(long answerBytes) {
      if (over) {
        throw new AssertionError("got over twice (expected: once)");
      }
      over = true;
      ended.add(this);
    }
  }

  final List<Seen> seen = new CopyOnWriteArrayList<>();
  final BlockingQueue<Seen> asking = new LinkedBlockingQueue<>();
  final BlockingQueue<Seen> ended = new LinkedBlockingQueue<>();
  private final Function<RequestHead, List<Verdict>> script;
  private final Function<RequestHead, @Nullable String> tenant;

  private ScriptedGate(
      Function<RequestHead, List<Verdict>> script, Function<RequestHead, @Nullable String> tenant) {
    this.script = script;
    this.tenant = tenant;
  }

  static ScriptedGate telling(Function<RequestHead, @Nullable String> tenant) {
    return new ScriptedGate(_ -> List.of(Enter.NOW), tenant);
  }

  static ScriptedGate doing(Function<RequestHead, List<Verdict>> script) {
    return new ScriptedGate(script, _ -> null);
  }

  @Override
  public boolean open(RequestPolicy policy) {
    return false;
  }

  @Override
  public Visit visit(RequestHead head, RequestRouter.Way way, RequestPolicy policy) {
    String name = tenant.apply(head);
    Seen visit =
        new Seen(
            head, way, script.apply(head), name == null ? RequestContext.DEFAULT_TENANT : name);
    seen.add(visit);
    return visit;
  }
}
