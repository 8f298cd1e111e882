package dev.weir.model;

import dev.weir.model.RequestPolicy.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests' policies of what the file says: all sections of all policies, before any request
 * sees any of them. Safe on any thread.
 *
 * @param <S> what the file says
 */
public final class PolicyCompiler<S> implements PolicySectionRegistry<S> {
  private final S initialSource;
  private final List<RegisteredSection<S, ?>> sections = new ArrayList<>();

  /** A section and what makes it. */
  private record RegisteredSection<S, T>(Section<T> section, SectionFactory<S, T> factory) {
    T create(String name, S says, @Nullable RequestPolicy before) {
      T last =
          before != null ? before.get(section) : name.isEmpty() ? section.initialValue() : null;
      return factory.create(name, says, last);
    }
  }

  /**
   * Makes one without a section.
   *
   * @param first what the file says of the whole gateway at the start
   */
  public PolicyCompiler(S first) {
    this.initialSource = first;
  }

  @Override
  public synchronized <T> Section<T> register(SectionFactory<S, T> maker) {
    Section<T> section = new Section<>(sections.size(), maker.create("", initialSource, null));
    sections.add(new RegisteredSection<>(section, maker));
    return section;
  }

  /**
   * Makes all policies, the one without a name first.
   *
   * @param standard what the file says of the whole gateway
   * @param named what it says of the others, by their names
   * @param before the policies that these replace; null for none
   */
  public RequestPolicies compile(
      S standard, Map<String, ? extends S> named, @Nullable RequestPolicies before) {
    RequestPolicy all = compile("", standard, before == null ? null : before.defaultPolicy());
    Map<String, RequestPolicy> others = new LinkedHashMap<>();
    named.forEach((name, says) ->
        others.put(
            name, compile(name, says, before == null ? null : before.namedPolicies().get(name))));
    return new RequestPolicies(all, others);
  }

  /**
   * Makes one policy.
   *
   * @param before the one that it replaces; null for none
   */
  public synchronized RequestPolicy compile(String name, S says, @Nullable RequestPolicy before) {
    Object[] values = new Object[sections.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = sections.get(i).create(name, says, before);
    }
    return new RequestPolicy(name, values);
  }
}
