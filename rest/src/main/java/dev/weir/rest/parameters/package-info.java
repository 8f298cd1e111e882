/**
 * Reads request parameters and content types that several handlers share. Pure; called on event
 * loops.
 */
@NullMarked
package dev.weir.rest.parameters;

import org.jspecify.annotations.NullMarked;
