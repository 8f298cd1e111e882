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
public final class PolicyCompiler<S> implements PolicySections<S> {
  private final S first;
  private final List<Part<S, ?>> parts = new ArrayList<>();

  /** A section and what makes it. */
  private record Part<S, T>(Section<T> section, Maker<S, T> maker) {
    T make(String name, S says, @Nullable RequestPolicy before) {
      T last = before != null ? before.of(section) : name.isEmpty() ? section.first() : null;
      return maker.make(name, says, last);
    }
  }

  /**
   * Makes one without a section.
   *
   * @param first what the file says of the whole gateway at the start
   */
  public PolicyCompiler(S first) {
    this.first = first;
  }

  @Override
  public synchronized <T> Section<T> add(Maker<S, T> maker) {
    Section<T> section = new Section<>(parts.size(), maker.make("", first, null));
    parts.add(new Part<>(section, maker));
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
    RequestPolicy all = compile("", standard, before == null ? null : before.standard());
    Map<String, RequestPolicy> others = new LinkedHashMap<>();
    named.forEach((name, says) ->
        others.put(name, compile(name, says, before == null ? null : before.named().get(name))));
    return new RequestPolicies(all, others);
  }

  /**
   * Makes one policy.
   *
   * @param before the one that it replaces; null for none
   */
  public synchronized RequestPolicy compile(String name, S says, @Nullable RequestPolicy before) {
    Object[] values = new Object[parts.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = parts.get(i).make(name, says, before);
    }
    return new RequestPolicy(name, values);
  }
}
