package dev.weir.protocol;

/**
 * The handler of a call whose outcome nobody needs: the channel skips the reply unread. Immutable;
 * safe on any thread.
 */
public final class IgnoredReply implements ReplyHandler<Object> {
  private static final IgnoredReply PROMPT = new IgnoredReply(false);
  private static final IgnoredReply DEFERRABLE = new IgnoredReply(true);

  private final boolean isDeferrable;

  private IgnoredReply(boolean isDeferrable) {
    this.isDeferrable = isDeferrable;
  }

  /** Returns the handler of a call that leaves at once. */
  public static <R> ReplyHandler<R> prompt() {
    return ofAny(PROMPT);
  }

  /** Returns the handler of a call that leaves with a later one to its node, or alone soon. */
  public static <R> ReplyHandler<R> deferrable() {
    return ofAny(DEFERRABLE);
  }

  @SuppressWarnings("unchecked") // it ignores its argument
  private static <R> ReplyHandler<R> ofAny(ReplyHandler<Object> handler) {
    return (ReplyHandler<R>) handler;
  }

  @Override
  public boolean isReplyIgnored() {
    return true;
  }

  @Override
  public boolean isDeferrable() {
    return isDeferrable;
  }

  @Override
  public void onReply(Object reply, ReplyFrame frame) {}

  @Override
  public void onFailure(NodeCallException failure) {}
}
