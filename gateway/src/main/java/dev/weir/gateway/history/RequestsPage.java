package dev.weir.gateway.history;

import dev.weir.gateway.stats.AdminErrors;
import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpStatus;
import dev.weir.observe.admin.AdminResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The page {@code /requests}: single requests behind the figures. {@code show} selects them, see
 * {@link #SELECTIONS}; {@code action}, {@code path}, {@code cluster} and {@code tenant} keep those
 * with that value; {@code size} bounds the list, {@code minutes} its age. Safe on any thread.
 */
record RequestsPage(RequestHistory history) {
  private static final List<String> SELECTIONS =
      List.of("slow", "rejected", "failed", "passed-through", "newest");
  private static final String DEFAULT_SIZE = "50";
  private static final int MAX_SIZE = 500;
  private static final String DEFAULT_MINUTES = "60";
  private static final int MILLIS_PER_MINUTE = 60_000;

  AdminResponse show(Map<String, String> query) {
    String selection = query.getOrDefault("show", "newest");
    if (!SELECTIONS.contains(selection)) {
      return reject("show", selection, "one of " + String.join(", ", SELECTIONS));
    }
    Integer size = number(query.getOrDefault("size", DEFAULT_SIZE));
    if (size == null) {
      return reject("size", query.get("size"), "how many to show");
    }
    Integer minutes = number(query.getOrDefault("minutes", DEFAULT_MINUTES));
    if (minutes == null) {
      return reject("minutes", query.get("minutes"), "how old they may be");
    }
    long afterMillis = history.clocks().millis().getAsLong() - (long) minutes * MILLIS_PER_MINUTE;
    List<RecentRequest> found = new ArrayList<>(select(selection, afterMillis));
    found.removeIf(one -> one.endMillis() < afterMillis || !matches(one.request(), query));
    found.sort(
        selection.equals("slow")
            ? Comparator.comparingLong(RecentRequest::durationNanos).reversed()
            : Comparator.comparingLong(RecentRequest::endMillis).reversed());
    HistoryProbe gateway = history.probe();
    Set<Long> explained = gateway == null ? Set.of() : gateway.explainedRequests();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("show", selection);
    body.put("found", found.size());
    body.put(
        "requests",
        found.stream()
            .limit(Math.min(size, MAX_SIZE))
            .map(one -> one.toMap(explained.contains(one.request().taskId())))
            .toList());
    return AdminResponse.json(HttpStatus.OK, body);
  }

  private List<RecentRequest> select(String selection, long afterMillis) {
    return switch (selection) {
      case "slow" -> history.slowest(afterMillis);
      case "rejected" -> history.rejected();
      case "failed" -> history.failed();
      case "passed-through" ->
          history.newest().stream()
              .filter(one -> one.request().path().equals("passthrough"))
              .toList();
      default -> history.newest();
    };
  }

  private static boolean matches(CompletedRequest request, Map<String, String> query) {
    return isEqual(query.get("action"), request.action())
        && isEqual(query.get("path"), request.path())
        && isEqual(query.get("cluster"), request.cluster())
        && isEqual(query.get("tenant"), request.tenant());
  }

  private static boolean isEqual(@Nullable String wanted, String value) {
    return wanted == null || wanted.equals(value);
  }

  private static @Nullable Integer number(String text) {
    try {
      int number = Integer.parseInt(text);
      return number < 0 ? null : number;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static AdminResponse reject(String name, @Nullable String got, String expected) {
    return AdminErrors.json(
        HttpStatus.BAD_REQUEST,
        "illegal_argument_exception",
        name + ": got [" + got + "] (expected: " + expected + ")");
  }
}
