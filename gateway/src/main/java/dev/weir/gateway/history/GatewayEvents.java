package dev.weir.gateway.history;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The newest events that explain a change of the figures: reloads, traffic shifts, drains, and
 * changes of readiness. Safe on any thread; not called for requests.
 */
public final class GatewayEvents {
  /** The most events that are kept. */
  static final int MAX_EVENTS = 200;

  /** The kept characters of a text. */
  static final int MAX_TEXT = 500;

  private final LongSupplier currentTimeMillis;
  private final Deque<Event> events = new ArrayDeque<>();
  private long lastNumber;

  /** What happened; the label is part of the JSON. */
  public enum Kind {
    /** A changed configuration took effect, or was rejected. */
    RELOAD("reload"),
    /** Weights of clusters changed, by an operator or a rollback. */
    TRAFFIC("traffic"),
    /** A drain began or ended. */
    DRAIN("drain"),
    /** The gateway became ready, or is no longer. */
    READINESS("readiness");

    private final String label;

    Kind(String label) {
      this.label = label;
    }
  }

  private record Event(long number, long atMillis, Kind kind, String text) {}

  /**
   * Creates it without events.
   *
   * @param currentTimeMillis the wall clock
   */
  public GatewayEvents(LongSupplier currentTimeMillis) {
    this.currentTimeMillis = currentTimeMillis;
  }

  /** Records an event that happens now. */
  public synchronized void add(Kind kind, String text) {
    events.addLast(
        new Event(
            ++lastNumber,
            currentTimeMillis.getAsLong(),
            kind,
            text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "..."));
    if (events.size() > MAX_EVENTS) {
      events.removeFirst();
    }
  }

  /** Describes the events after a moment, the oldest first, for JSON. */
  List<Map<String, Object>> toList(long afterMillis) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Event event : snapshot()) {
      if (event.atMillis() > afterMillis) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("event", event.number());
        row.put("at", Instant.ofEpochMilli(event.atMillis()).toString());
        row.put("kind", event.kind().label);
        row.put("text", event.text());
        rows.add(row);
      }
    }
    return rows;
  }

  private synchronized List<Event> snapshot() {
    return List.copyOf(events);
  }
}
