/**
 * The policy as nested records that mirror the YAML file: one record a section, one component a key
 * (in kebab case). Immutable; safe on any thread; read once, when the process starts.
 */
@NullMarked
package dev.weir.config.policy;

import org.jspecify.annotations.NullMarked;
