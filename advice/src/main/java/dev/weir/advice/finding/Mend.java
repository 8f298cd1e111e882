package dev.weir.advice.finding;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;

/**
 * What mends a finding. Immutable.
 *
 * @param note what to know before the steps are run
 * @param steps in their order
 */
public record Mend(String note, List<MendStep> steps) {
  /** Copies the steps. */
  public Mend {
    steps = List.copyOf(steps);
  }

  /** A mend without steps yet. */
  public static Mend of(String note) {
    return new Mend(note, List.of());
  }

  /** Returns a name as a path takes it; an index may be called {@code %2a}. */
  public static String encode(String name) {
    return URLEncoder.encode(name, UTF_8).replace("+", "%20");
  }

  /** Returns a mend with one more call; the body is empty for none. */
  public Mend call(String method, String path, String body) {
    return with(new MendStep.Call(method, path, body));
  }

  /** Returns a mend that changes settings of the cluster. */
  public Mend clusterSettings(String body) {
    return call("PUT", "/_cluster/settings", body);
  }

  /** Returns a mend that changes settings of an index. */
  public Mend indexSettings(String index, String body) {
    return call("PUT", "/" + encode(index) + "/_settings", body);
  }

  /** Returns a mend with one more step. */
  public Mend with(MendStep step) {
    List<MendStep> more = new ArrayList<>(steps);
    more.add(step);
    return new Mend(note, more);
  }
}
