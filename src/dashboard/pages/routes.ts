import { endpoints as chats } from "./chat-routes.tsx";
import { endpoints as incoming } from "./incoming-routes.tsx";
import { endpoints as legal } from "./legal-routes.tsx";
import { endpoints as offers } from "./offer-routes.tsx";
import { endpoints as pingKeys } from "./ping-key-routes.tsx";
import { endpoints as reports } from "./reports-routes.tsx";
import { endpoints as services } from "./services-routes.tsx";
import { endpoints as settings } from "./settings-routes.tsx";
import { endpoints as subscribers } from "./subscribers-routes.tsx";

export const endpoints = [
  ...settings,
  ...services,
  ...pingKeys,
  ...subscribers,
  ...offers,
  ...reports,
  ...chats,
  ...legal,
  ...incoming,
];
