package dev.weir.model;

import java.net.InetSocketAddress;

/**
 * What one request, or a part of it, leaves in a trace: a span of its own, and under it one for
 * each phase and each call to a node, as many as may be. {@link #NONE} leaves nothing, and costs
 * nothing. Confined to the request's home.
 */
public interface Trace {
  /** What the trace's id is called in logs. */
  String LOGGED = "trace_id";

  /** Leaves nothing. */
  Trace NONE =
      new Trace() {
        @Override
        public boolean recorded() {
          return false;
        }

        @Override
        public String traceId() {
          return "";
        }

        @Override
        public String parent() {
          return "";
        }

        @Override
        public Trace part() {
          return this;
        }

        @Override
        public void phase(String name, boolean always) {}

        @Override
        public Call call(String action, Work work, NodeEndpoint node) {
          return Call.NONE;
        }

        @Override
        public Hop hop(String method) {
          return Hop.NONE;
        }

        @Override
        public void over(RequestLog log) {}
      };

  /** Whether anything is recorded. */
  boolean recorded();

  /** The trace's id; empty when nothing is recorded. */
  String traceId();

  /** The {@code traceparent} for nodes, which names the request's span; empty for the client's. */
  String parent();

  /** A part of the request whose phases are its own. */
  Trace part();

  /**
   * A phase begins, and the one before ends; calls are made within it.
   *
   * @param name empty when none begins
   * @param always whether it is shown even if no call is made within it
   */
  void phase(String name, boolean always);

  /** A call to a node begins. */
  Call call(String action, Work work, NodeEndpoint node);

  /** The request begins to pass through to a node's REST port. */
  Hop hop(String method);

  /** The request is over: its last byte has left, or its client. */
  void over(RequestLog log);

  /** A request's way through to a node's REST port; the first word about its end counts. */
  interface Hop {
    /** Leaves nothing. */
    Hop NONE =
        new Hop() {
          @Override
          public String parent() {
            return "";
          }

          @Override
          public void to(InetSocketAddress node) {}

          @Override
          public void answered(int status) {}

          @Override
          public void failed(String kind, String why) {}

          @Override
          public void forgotten() {}
        };

    /** The {@code traceparent} for the node; empty for that of the request. */
    String parent();

    /** It goes to this node, after others that it did not get to. */
    void to(InetSocketAddress node);

    /**
     * The node has answered, and all of its answer has come.
     *
     * @param status as of HTTP
     */
    void answered(int status);

    /**
     * There is no answer, or no more of it.
     *
     * @param kind one of few
     */
    void failed(String kind, String why);

    /** Nobody waits for it any more. */
    void forgotten();
  }

  /** One call to a node; the first word about its end counts. */
  interface Call {
    /** Leaves nothing. */
    Call NONE =
        new Call() {
          @Override
          public void answered() {}

          @Override
          public void failed(String kind, String why) {}

          @Override
          public void forgotten() {}
        };

    /** The node has answered. */
    void answered();

    /**
     * It failed.
     *
     * @param kind one of few
     */
    void failed(String kind, String why);

    /** Nobody waits for it any more. */
    void forgotten();
  }
}
