package dev.weir.http.connection;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts the connections and streams that a server refused or closed. Safe on any thread. */
public final class ConnectionCounts {
  /** Why a server refused or closed a connection, or an HTTP/2 stream. */
  public enum Reason {
    /** An idle connection gave way to a new one. */
    IDLE("idle"),
    /** A connection that had not sent the headers of a first request gave way to a new one. */
    NO_REQUEST("no-request"),
    /** All connections were in use, and a further one was refused. */
    FULL("full"),
    /** A client had its share of all connections in use, and a further one was refused. */
    ADDRESS_SHARE("address-share"),
    /** A client sent or read nothing for long. */
    TIMEOUT("timeout"),
    /** A client sent a body below the minimum rate, or for too long. */
    SLOW_BODY("slow-body"),
    /** A client read a response below the minimum rate, or for too long. */
    SLOW_READER("slow-reader"),
    /** The slowest reader of a response gave way: others needed the memory. */
    EVICTED_READER("evicted-reader"),
    /** An HTTP/2 client sent no request in time. */
    HTTP2_WITHOUT_REQUEST("http2-without-request"),
    /** An HTTP/2 client sent too many control frames. */
    CONTROL_FRAMES("control-frames"),
    /** The bodies of an HTTP/2 connection's streams had no memory; the largest one was reset. */
    UNREAD_STREAM("unread-stream");

    private final String label;

    Reason(String label) {
      this.label = label;
    }

    /** Returns the reason as metrics show it. */
    public String label() {
      return label;
    }
  }

  private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

  ConnectionCounts() {
    for (Reason reason : Reason.values()) {
      counts.put(reason, new LongAdder());
    }
  }

  public void increment(Reason reason) {
    counter(reason).increment();
  }

  /** Returns how many connections and streams were refused or closed for a reason. */
  public long count(Reason reason) {
    return counter(reason).sum();
  }

  private LongAdder counter(Reason reason) {
    return Objects.requireNonNull(counts.get(reason));
  }
}
