package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Binds to the first copy at once, or lets requests wait until the test says so. */
final class ScriptedCopyBinder implements CopyBinder {
  final List<Waiting> waiting = new ArrayList<>();
  boolean full;
  int most;

  /** Where a request goes whose first node it may not go to; null: nowhere. */
  @Nullable String insteadOfNone;

  /** One request that waits. */
  final class Waiting implements Binding {
    final List<String> nodes;
    private final Consumer<Binding> bound;
    private @Nullable String nodeId;
    boolean sent;
    boolean left;

    Waiting(List<String> nodes, Consumer<Binding> bound) {
      this.nodes = nodes;
      this.bound = bound;
    }

    void bindTo(String node) {
      nodeId = node;
      waiting.remove(this);
      bound.accept(this);
    }

    @Override
    public @Nullable String nodeId() {
      return nodeId;
    }

    @Override
    public boolean tryMarkSent() {
      sent = !left;
      return sent;
    }

    @Override
    public void release() {
      left = !sent;
      waiting.remove(this);
    }
  }

  @Override
  public Binding bind(BindingRequest offer, RequestContext context, Consumer<Binding> bound) {
    if (!full) {
      return FIRST_COPY.bind(offer, context, bound);
    }
    Waiting one = new Waiting(offer.copies().stream().map(ShardCopy::nodeId).toList(), bound);
    waiting.add(one);
    most = Math.max(most, waiting.size());
    return one;
  }

  @Override
  public @Nullable String selectNow(
      BindingRequest offer, RequestPolicy policy, Predicate<String> may) {
    String first = FIRST_COPY.selectNow(offer, policy, may);
    String other = insteadOfNone;
    return first == null && other != null && may.test(other) ? other : first;
  }
}
