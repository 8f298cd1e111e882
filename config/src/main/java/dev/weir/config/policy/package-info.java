/**
 * The policy as nested records that mirror the YAML file: one record for each section, one
 * component for each key (in kebab case). Immutable; safe on any thread. The gateway reads it at
 * the start and at each reload.
 */
@NullMarked
package dev.weir.config.policy;

import org.jspecify.annotations.NullMarked;
