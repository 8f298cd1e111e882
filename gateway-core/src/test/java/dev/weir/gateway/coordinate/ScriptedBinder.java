package dev.weir.gateway.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Binds to the first copy at once, or lets requests wait until the test says so. */
final class ScriptedBinder implements Binder {
  final List<Waiting> waiting = new ArrayList<>();
  boolean full;
  int most;

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
    public boolean sending() {
      sent = !left;
      return sent;
    }

    @Override
    public void leave() {
      left = !sent;
      waiting.remove(this);
    }
  }

  @Override
  public Binding bind(
      List<ShardCopy> copies, Work work, RequestContext context, Consumer<Binding> bound) {
    if (!full) {
      return FIRST.bind(copies, work, context, bound);
    }
    Waiting one = new Waiting(copies.stream().map(ShardCopy::nodeId).toList(), bound);
    waiting.add(one);
    most = Math.max(most, waiting.size());
    return one;
  }
}
