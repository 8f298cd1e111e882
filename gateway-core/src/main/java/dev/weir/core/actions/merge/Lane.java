package dev.weir.core.actions.merge;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.coordinate.Delays;
import dev.weir.core.coordinate.NodeSender;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The way of parts that may go together. One that comes while none is under way goes at once, by
 * itself; one that comes meanwhile waits for others; and as long as waiting brings others together,
 * all do. Confined to one home.
 */
final class Lane {
  private final MergeCounts counts;
  private final NodeSender sender;
  private final Delays delays;
  private final LongSupplier nanoTime;
  private final String nodeId;
  private @Nullable Gathering gathering;
  private int underWay;
  private boolean company;

  Lane(MergeCounts counts, NodeSender sender, Delays delays, LongSupplier nanoTime, String nodeId) {
    this.counts = counts;
    this.sender = sender;
    this.delays = delays;
    this.nanoTime = nanoTime;
    this.nodeId = nodeId;
  }

  MergeCounts counts() {
    return counts;
  }

  NodeSender sender() {
    return sender;
  }

  Delays delays() {
    return delays;
  }

  LongSupplier nanoTime() {
    return nanoTime;
  }

  String nodeId() {
    return nodeId;
  }

  /** Takes a part in, which goes now or a little later. */
  Part add(Part part, BulkPolicy.Merge policy) {
    part.context().onCancel(part);
    Gathering open = gathering;
    if (open != null && !open.hasRoomFor(part)) {
      open.go();
      open = null;
    }
    if (open == null && !company && underWay == 0) {
      new Solo(this, part).send();
      return part;
    }
    if (open == null) {
      open = new Gathering(this, policy, part.context().home());
      gathering = open;
    }
    open.add(part);
    return part;
  }

  /** Those of a gathering go, or nobody is left of it. */
  void ended(Gathering ended, List<Part> parts) {
    if (gathering == ended) {
      gathering = null;
    }
    company = parts.size() > 1;
    SharedAnswers answers = new SharedAnswers();
    List<Part> together = new ArrayList<>(parts.size());
    for (Part part : parts) {
      if (company && answers.payAhead(part)) {
        together.add(part);
      } else {
        alone(part);
      }
    }
    if (together.size() > 1) {
      counts.together(together.size());
      new MergedCall(this, together, answers).send();
    } else {
      answers.close();
      together.forEach(this::alone);
    }
  }

  private void alone(Part part) {
    counts.waitedInVain();
    new Solo(this, part).send();
  }

  /** A call is sent. */
  void began() {
    underWay++;
  }

  /** A call has its outcome, or nobody waits for that. */
  void ended() {
    underWay--;
  }
}
