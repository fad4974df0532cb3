import type { z } from "zod";
import type { SharedPage, StatusPage } from "../../contract/status-page.ts";
import type { MemberRecord } from "../../data/members/read.ts";
import { fillTopics } from "../../domain/team-notifications.ts";
import { toIso } from "../../platform/clock.ts";
import type { StatusPageWithUrl } from "./service.ts";

export function presentSharedPage({
  page,
  url,
  role,
  capabilities,
}: StatusPageWithUrl & Pick<MemberRecord, "role" | "capabilities">): z.infer<typeof SharedPage> {
  return Object.assign(presentPage({ page, url }), { role, capabilities });
}

export function presentPage({ page, url }: StatusPageWithUrl): z.infer<typeof StatusPage> {
  return {
    id: page.id,
    name: page.name,
    slug: page.slug,
    url,
    description: page.description ?? "",
    custom_domain: page.custom_domain,
    ssl_type: page.ssl_type,
    is_public: page.is_public,
    show_branding: page.show_branding,
    timezone: page.timezone,
    language: page.language,
    show_latency: page.show_latency,
    show_locations: page.show_locations,
    has_password: page.password_hash !== null,
    logo_url: page.logo_url,
    logo_dark_url: page.logo_dark_url,
    favicon_url: page.favicon_url,
    brand_color: page.brand_color,
    header_image_url: page.header_image_url,
    layout: page.layout,
    font: page.font,
    footer_text: page.footer_text,
    footer_links: JSON.stringify(page.footer_links),
    incident_system_enabled: page.incident_system_enabled,
    auto_create_incident: page.auto_create_incident,
    auto_publish_incident: page.auto_publish_incident,
    failure_threshold: page.failure_threshold,
    external_key: page.external_key,
    imprint_url: page.imprint_url,
    privacy_url: page.privacy_url,
    advanced_alerts: page.advanced_alerts,
    alert_routing: page.alert_routing,
    notify_team: fillTopics(page.notify_team),
    created_at: toIso(page.created_at),
    updated_at: toIso(page.updated_at),
  };
}
