package dev.weir.config.policy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says where a section takes what it does not say from, at every depth. Lists and maps are taken,
 * or replaced, as a whole. It may have fewer keys than the other section.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface InheritsFrom {
  /** The other section, which stands before this one in the records, such as {@code traffic}. */
  String value();
}
