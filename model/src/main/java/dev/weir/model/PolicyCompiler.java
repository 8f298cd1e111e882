package dev.weir.model;

import dev.weir.model.RequestPolicy.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the policies of the configuration file: one value for each registered section of each
 * policy, all before any request sees one.
 *
 * <p>Register every section first. The first compilation closes the list of sections, because
 * earlier policies would lack a later section, and requests would silently use its initial value.
 * Safe on any thread.
 *
 * @param <S> the settings of one policy in the file
 */
public final class PolicyCompiler<S> implements PolicySectionRegistry<S> {
  private final S initialSource;
  private final List<RegisteredSection<S, ?>> sections = new ArrayList<>();
  private boolean compiled;

  private record RegisteredSection<S, T>(Section<T> section, SectionFactory<S, T> factory) {
    T create(String policyName, S source, @Nullable RequestPolicy previous) {
      T previousValue =
          previous != null
              ? previous.get(section)
              : policyName.isEmpty() ? section.initialValue() : null;
      return factory.create(policyName, source, previousValue);
    }
  }

  /**
   * Creates a compiler without sections.
   *
   * @param initialSource the settings of the default policy at the start
   */
  public PolicyCompiler(S initialSource) {
    this.initialSource = initialSource;
  }

  @Override
  public synchronized <T> Section<T> register(SectionFactory<S, T> factory) {
    if (compiled) {
      throw new IllegalStateException(
          "a policy section was registered after policies were compiled ("
              + sections.size()
              + " sections); register every section before the first call of compile()");
    }
    Section<T> section = new Section<>(sections.size(), factory.create("", initialSource, null));
    sections.add(new RegisteredSection<>(section, factory));
    return section;
  }

  /**
   * Compiles all policies, the default policy first, and closes the list of sections.
   *
   * @param defaultSource the settings of the default policy
   * @param namedSources the settings of the named policies
   * @param previous the policies that these replace; null for none
   */
  public RequestPolicies compile(
      S defaultSource, Map<String, ? extends S> namedSources, @Nullable RequestPolicies previous) {
    RequestPolicy defaultPolicy =
        compile("", defaultSource, previous == null ? null : previous.defaultPolicy());
    Map<String, RequestPolicy> named = new LinkedHashMap<>();
    namedSources.forEach((name, source) ->
        named.put(
            name,
            compile(name, source, previous == null ? null : previous.namedPolicies().get(name))));
    return new RequestPolicies(defaultPolicy, named);
  }

  /**
   * Compiles one policy, and closes the list of sections.
   *
   * @param name empty for the default policy
   * @param previous the policy that it replaces; null for none
   */
  public synchronized RequestPolicy compile(
      String name, S source, @Nullable RequestPolicy previous) {
    compiled = true;
    Object[] values = new Object[sections.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = sections.get(i).create(name, source, previous);
    }
    return new RequestPolicy(name, values);
  }
}
