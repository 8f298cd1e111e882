package dev.weir.config.policy;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The differences between two configurations, key by key, and which of them take effect without a
 * restart.
 */
public final class PolicyDiff {
  /** Sections that say which requests go to which cluster. */
  private static final Set<String> TRAFFIC_SECTIONS = Set.of("traffic", "routes", "policies");

  private static final String ADMIN_TOKEN = "admin.token";

  private static final String PERCENT = "%";

  private final Collection<String> hidden;
  private final List<Change> changes = new ArrayList<>();

  private PolicyDiff(Collection<String> hidden) {
    this.hidden = hidden;
  }

  /**
   * A key with different values.
   *
   * @param before the value as shown, with secrets redacted; null for none
   * @param after likewise
   * @param dynamic whether the change takes effect while the gateway runs
   */
  public record Change(
      String key, @Nullable Object before, @Nullable Object after, boolean dynamic) {
    /** Returns whether the key is one of those that say which requests go to which cluster. */
    public boolean concernsTraffic() {
      return TRAFFIC_SECTIONS.contains(key.split("[.\\[]", 2)[0]);
    }

    @Override
    public String toString() {
      return key + ": " + displayValue(before) + " -> " + displayValue(after);
    }

    private static Object displayValue(@Nullable Object value) {
      return value == null ? "(none)" : value.equals("") ? "\"\"" : value;
    }
  }

  /**
   * Returns the keys that differ, in the order of the file.
   *
   * @param hidden keys whose values are not shown, besides secrets
   */
  public static List<Change> compare(
      GatewayPolicy before, GatewayPolicy after, Collection<String> hidden) {
    PolicyDiff diff = new PolicyDiff(hidden);
    diff.compareOrder(before.clusters(), after.clusters());
    diff.compareSection("", before, after, false);
    if (TrafficDeferral.isNeeded(before, after)) {
      diff.deferToRestart(Change::concernsTraffic);
    }
    if (wouldOpenAdminPort(before.admin(), after.admin())) {
      diff.deferToRestart(change -> change.key().equals(ADMIN_TOKEN));
    }
    return List.copyOf(diff.changes);
  }

  /** Lets some changes wait for a restart. */
  private void deferToRestart(Predicate<Change> isDeferred) {
    changes.replaceAll(change ->
        isDeferred.test(change)
            ? new Change(change.key(), change.before(), change.after(), false)
            : change);
  }

  /**
   * Returns the configuration of a running gateway after it has read another file: the new values
   * of dynamic keys, and the running values of all others.
   */
  public static GatewayPolicy applyReload(GatewayPolicy running, GatewayPolicy read) {
    GatewayPolicy next = mergeSection(running, read, false);
    boolean keepsTraffic = TrafficDeferral.isNeeded(running, read);
    return new GatewayPolicy(
        next.clusters(),
        keepsTraffic ? running.traffic() : next.traffic(),
        next.http(),
        wouldOpenAdminPort(running.admin(), read.admin())
            ? next.admin().withToken(running.admin().token())
            : next.admin(),
        next.health(),
        next.routing(),
        next.bulk(),
        next.admission(),
        next.search(),
        next.responses(),
        next.observability(),
        next.operations(),
        keepsTraffic ? running.routes() : next.routes(),
        keepsTraffic ? running.policies() : next.policies());
  }

  /**
   * Returns whether the new file has no token because of changes that wait for a restart, such as
   * an address on loopback: until then others could reach the port without credentials.
   */
  private static boolean wouldOpenAdminPort(AdminPolicy running, AdminPolicy read) {
    return !AdminPolicy.isLoopback(running.listen())
        && running.requiresCredentials()
        && !running.withToken(read.token()).requiresCredentials();
  }

  /** Compares the order of clusters, because the first one is the default. */
  private void compareOrder(Map<String, ClusterPolicy> before, Map<String, ClusterPolicy> after) {
    List<String> one = List.copyOf(before.keySet());
    List<String> other = List.copyOf(after.keySet());
    if (!one.equals(other) && before.keySet().equals(after.keySet())) {
      changes.add(new Change("clusters", one, other, false));
    }
  }

  private void compareSection(String path, Record before, Record after, boolean sectionDynamic) {
    for (RecordComponent component : before.getClass().getRecordComponents()) {
      ConfigKey setting = component.getAnnotation(ConfigKey.class);
      if (setting != null && setting.value().endsWith(PERCENT)) {
        compareHeapShare(path, component, setting.value(), before, after, sectionDynamic);
        continue;
      }
      compareValue(
          SectionReflection.join(path, SectionReflection.keyOf(component)),
          SectionReflection.readComponent(before, component),
          SectionReflection.readComponent(after, component),
          setting != null && setting.secret(),
          SectionReflection.isDynamic(component, sectionDynamic));
    }
  }

  /**
   * Compares sizes whose default is a part of the heap. The default is shown as that part: in bytes
   * it would be the part of the present JVM's heap, which is not the gateway's.
   */
  private void compareHeapShare(
      String path,
      RecordComponent component,
      String share,
      Record before,
      Record after,
      boolean sectionDynamic) {
    Object one = SectionReflection.readComponent(before, component);
    Object other = SectionReflection.readComponent(after, component);
    if (!Objects.equals(one, other)) {
      String key = SectionReflection.join(path, SectionReflection.keyOf(component));
      changes.add(
          new Change(
              key,
              displayHeapShare(key, one, share),
              displayHeapShare(key, other, share),
              SectionReflection.isDynamic(component, sectionDynamic)));
    }
  }

  private @Nullable Object displayHeapShare(String key, @Nullable Object value, String share) {
    int percent = Integer.parseInt(share.substring(0, share.length() - PERCENT.length()));
    return ByteSize.ofHeap(percent).equals(value)
        ? share + " of the heap"
        : displayValue(key, value, false);
  }

  private void compareValue(
      String path, @Nullable Object before, @Nullable Object after, boolean secret, boolean live) {
    if (Objects.equals(before, after)) {
      return;
    }
    if (before instanceof Record one
        && after instanceof Record other
        && SectionReflection.isSection(one.getClass())) {
      compareSection(path, one, other, live);
    } else if (before instanceof Map<?, ?> one && after instanceof Map<?, ?> other) {
      Set<Object> keys = new LinkedHashSet<>(one.keySet());
      keys.addAll(other.keySet());
      keys.forEach(key ->
          compareValue(
              SectionReflection.join(path, key.toString()),
              one.get(key),
              other.get(key),
              secret,
              live));
    } else if (before instanceof List<?> one
        && after instanceof List<?> other
        && one.size() == other.size()
        && SectionReflection.isSection(one.getFirst().getClass())) {
      for (int i = 0; i < one.size(); i++) {
        compareValue(path + "[" + i + "]", one.get(i), other.get(i), secret, live);
      }
    } else {
      changes.add(
          new Change(
              path, displayValue(path, before, secret), displayValue(path, after, secret), live));
    }
  }

  private @Nullable Object displayValue(String path, @Nullable Object value, boolean secret) {
    if (value == null) {
      return null;
    }
    return secret ? PolicyTree.REDACTED : PolicyTree.displayValue(path, value, hidden);
  }

  private static <T extends Record> T mergeSection(T running, T read, boolean sectionDynamic) {
    @SuppressWarnings("unchecked")
    Class<T> type = (Class<T>) running.getClass();
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      values[i] =
          mergeValue(
              SectionReflection.readComponent(running, components[i]),
              SectionReflection.readComponent(read, components[i]),
              SectionReflection.isDynamic(components[i], sectionDynamic));
    }
    return SectionReflection.newSection(type, values);
  }

  /** Merges sections by name, key by key, while the names stay the same. */
  private static Object mergeValue(Object running, Object read, boolean live) {
    if (running instanceof Record one
        && read instanceof Record other
        && SectionReflection.isSection(one.getClass())) {
      return mergeSection(one, other, live);
    }
    if (running instanceof Map<?, ?> one
        && read instanceof Map<?, ?> other
        && one.keySet().equals(other.keySet())
        && List.copyOf(one.keySet()).equals(List.copyOf(other.keySet()))) {
      Map<Object, Object> result = new LinkedHashMap<>();
      one.forEach((key, value) ->
          result.put(key, mergeValue(value, Objects.requireNonNull(other.get(key)), live)));
      return java.util.Collections.unmodifiableMap(result);
    }
    return live ? read : running;
  }
}
