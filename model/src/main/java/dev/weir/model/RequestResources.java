package dev.weir.model;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway attaches to a request: its policy, its memory account, its trace, its user, and
 * whether its body may be reused. Owned by a {@link RequestContext} and confined to its event loop.
 */
public final class RequestResources {
  private RequestPolicy policy = RequestPolicy.NONE;
  private RequestMemory memory = RequestMemory.UNBOUNDED;
  private @Nullable MemoryWait memoryWait;
  private RequestTrace trace = RequestTrace.NONE;
  private @Nullable ClientIdentity identity;
  private WritePreparation writePreparation = WritePreparation.NONE;
  private boolean bodyRetained;
  private boolean documentsReplicated;
  private final ConfirmedState confirmedState;

  /** The items that were possibly repeated; null for none. */
  private @Nullable BitSet repeatedItems;

  /** The items of which a lost attempt was possibly executed; null for none. */
  private @Nullable BitSet executedItems;

  RequestResources() {
    this(new ConfirmedState());
  }

  private RequestResources(ConfirmedState confirmedState) {
    this.confirmedState = confirmedState;
  }

  /** The resources of a part of the request: the same policy and memory, a trace of its own. */
  RequestResources newSubResources() {
    RequestResources part = new RequestResources(confirmedState);
    part.policy = policy;
    part.memory = memory;
    part.identity = identity;
    part.documentsReplicated = documentsReplicated;
    part.trace = trace.newSubTrace();
    return part;
  }

  /** The policy that applies to the request. */
  public RequestPolicy policy() {
    return policy;
  }

  /** Sets the policy that applies to the request. */
  public void setPolicy(RequestPolicy applied) {
    policy = applied;
  }

  /** The account that the request's memory is charged to. */
  public RequestMemory memory() {
    return memory;
  }

  /** Sets the account that the request's memory is charged to. */
  public void setMemory(RequestMemory account) {
    memory = account;
  }

  /** How the request waits for memory; null if it may not, as a part of a request. */
  public @Nullable MemoryWait memoryWait() {
    return memoryWait;
  }

  /** Allows the request to wait for memory; null forbids it. */
  public void setMemoryWait(@Nullable MemoryWait wait) {
    memoryWait = wait;
  }

  /** The trace that records the request. */
  public RequestTrace trace() {
    return trace;
  }

  /** Sets the trace that records the request. */
  public void setTrace(RequestTrace recording) {
    trace = recording;
  }

  /** The user for whom the request is coordinated; null where nodes do not authorize clients. */
  public @Nullable ClientIdentity identity() {
    return identity;
  }

  /** Takes over the policy and the user of the client's request. */
  public void inheritFrom(HttpExchange exchange) {
    policy = exchange.policy();
    identity = exchange.identity();
  }

  /** The newest cluster state that was read for the request. */
  public ConfirmedState confirmedState() {
    return confirmedState;
  }

  /** What the request's write does first, before a message to a node leaves. */
  public WritePreparation writePreparation() {
    return writePreparation;
  }

  /** Sets what the request's write does first; parts of the request do not inherit it. */
  public void setWritePreparation(WritePreparation preparation) {
    writePreparation = preparation;
  }

  /** Keeps the body's memory from reuse: something may read it after the response has left. */
  public void retainBody() {
    bodyRetained = true;
  }

  /** Whether something may read the body after the response has left. */
  public boolean isBodyRetained() {
    return bodyRetained;
  }

  /** Says that another cluster gets the documents of this write as the client sent them. */
  public void setDocumentsReplicated() {
    documentsReplicated = true;
  }

  /** Whether another cluster gets the documents of this write as the client sent them. */
  public boolean areDocumentsReplicated() {
    return documentsReplicated;
  }

  /**
   * Says that an item of this write was sent again although an attempt before may have executed it,
   * if only one that the node made by itself before it rejected the item. Only a write of {@link
   * #areDocumentsReplicated replicated documents} keeps this; parts of the request do not inherit
   * it.
   *
   * @param item its position in the bulk; 0 for a write of one document
   */
  public void setPossiblyRepeated(int item) {
    if (documentsReplicated) {
      repeatedItems = withItem(repeatedItems, item);
    }
  }

  /** Whether the response to an item may be that of a second execution. */
  public boolean isPossiblyRepeated(int item) {
    return repeatedItems != null && repeatedItems.get(item);
  }

  /**
   * Says that the outcome of an attempt of an item is unknown, so that the item may be executed
   * although a later attempt was rejected. Kept as {@link #setPossiblyRepeated} is.
   *
   * @param item its position in the bulk; 0 for a write of one document
   */
  public void setPossiblyExecuted(int item) {
    if (documentsReplicated) {
      executedItems = withItem(executedItems, item);
    }
  }

  /** Whether an item may be executed although its last attempt was rejected. */
  public boolean isPossiblyExecuted(int item) {
    return executedItems != null && executedItems.get(item);
  }

  private static BitSet withItem(@Nullable BitSet items, int item) {
    BitSet all = items == null ? new BitSet() : items;
    all.set(item);
    return all;
  }
}
