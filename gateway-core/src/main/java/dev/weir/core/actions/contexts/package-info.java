/**
 * Reads the ids of scrolls and of points in time, which name search contexts on nodes and which a
 * client can forge. Pure; safe on any thread.
 */
@NullMarked
package dev.weir.core.actions.contexts;

import org.jspecify.annotations.NullMarked;
